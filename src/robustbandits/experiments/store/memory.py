"""The ledgers of a run that has no store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from robustbandits.experiments.plan import Plan, PlannedMatch
from robustbandits.experiments.provenance import provenance
from robustbandits.experiments.store.load import Experiment, merge_provenance
from robustbandits.game.ledger import Ledger


class MemoryStore:
    """Keeps finished matches in memory. It has the methods of a Store that a run needs."""

    def __init__(self) -> None:
        self._ledgers: dict[tuple[str, int], Sequence[Ledger]] = {}  # by environment and seed

    def write_plan(self, plan: Plan) -> None:
        pass

    def missing(self, plan: Plan) -> list[PlannedMatch]:
        return list(plan.matches)

    def find_games(self, plan: Plan, missing: Sequence[PlannedMatch]) -> dict[str, str]:
        return {}

    def claim(self, match: PlannedMatch) -> bool:
        return True

    def release(self, match: PlannedMatch) -> None:
        pass

    def recheck(self, match: PlannedMatch) -> tuple[bool, str | None]:
        return False, None

    def write(
        self,
        plan: Plan,
        finished: Iterable[tuple[PlannedMatch, Sequence[Ledger]]],
        sources: Mapping[str, str] | None = None,
    ) -> None:
        for match, ledgers in finished:
            self._ledgers[match.environment, match.seed] = ledgers

    def ledgers(self, plan: Plan) -> list[Ledger]:
        keys = ((match.environment, match.seed) for match in plan.matches)
        return [ledger for key in keys for ledger in self._ledgers[key]]

    def experiment(self, plan: Plan) -> Experiment:
        count = len(plan.matches)
        played_with = merge_provenance([provenance(plan.spec)] * count, planned=count)
        return Experiment(plan.spec, self.ledgers(plan), played_with)
