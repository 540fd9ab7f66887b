"""compare: play every policy against every attack in every environment, over many seeds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from robustbandits._atomic import write_whole
from robustbandits.experiments.runner import run
from robustbandits.experiments.spec import Spec
from robustbandits.experiments.store import DamagedError, NewerError, Store
from robustbandits.experiments.store.load import Experiment
from robustbandits.experiments.store.match_file import MAX_BYTES
from robustbandits.experiments.store.results_file import decode_results, encode_results
from robustbandits.experiments.swept_parameters import Parameters, swept_parameters
from robustbandits.game.defaults import ROUNDS, SEEDS
from robustbandits.game.ledger import POINTS, Ledger
from robustbandits.game.object_policy import PolicyLike
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack
from robustbandits.reports import frames
from robustbandits.reports.figures import draw_panels
from robustbandits.reports.summary import Summary, summarize

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Results:
    """The ledgers of all games, one for each environment, attack, policy and seed.

    Parameters
    ----------
    ledgers
        The ledgers.
    parameters
        Values of swept parameters by role, label and name, for data frames:
        ``{"attack": {"Garcelon(budget=10)": {"budget": 10.0}}}``.
    """

    #: Recipes of the environments by label, which :meth:`in_stars` needs.
    environments: Mapping[str, Environment] = MappingProxyType({})

    def __init__(self, ledgers: Sequence[Ledger], parameters: Parameters | None = None):
        self.ledgers = list(ledgers)
        self.parameters: Parameters = parameters or {}

    @classmethod
    def _of(cls, ledgers: Sequence[Ledger], spec: Spec) -> Self:
        results = cls(ledgers, swept_parameters(spec))
        results.environments = spec.environments
        return results

    @classmethod
    def from_experiment(cls, experiment: Experiment) -> Self:
        """Return the results of an experiment from a store; it may be unfinished."""
        return cls._of(experiment.ledgers, experiment.spec)

    @classmethod
    def open(cls, store: str | os.PathLike[str], experiment: str | None = None) -> Self:
        """Return the results in a store, the folder that ``robustbandits run`` writes to.

        Parameters
        ----------
        store
            The folder. Damaged matches are left out, with a warning.
        experiment
            Name of the experiment, if the store has several. The newest of that name is returned.
        """
        found = Store(store).experiments()
        names = list(dict.fromkeys(entry.spec.name for entry in found))
        if not found:
            raise ValueError(f"{os.fspath(store)} has no finished matches yet")
        if experiment is None and len(names) > 1:
            raise ValueError(f"the store has several experiments; choose one: {', '.join(names)}")
        if experiment is not None and experiment not in names:
            raise ValueError(f"no experiment {experiment!r}; the store has {', '.join(names)}")
        wanted = names[0] if experiment is None else experiment
        return cls.from_experiment([entry for entry in found if entry.spec.name == wanted][-1])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the results to one file, without pickle; a file of that name is replaced."""
        write_whole(Path(path), encode_results(self.ledgers, self.parameters))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the results in a file that :meth:`save` wrote."""
        if Path(path).is_dir():
            raise ValueError(f"{os.fspath(path)} is a folder; Results.open reads a store")
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise DamagedError(f"{os.fspath(path)} is larger than {MAX_BYTES} bytes")
        try:
            return cls(*decode_results(data))
        except (DamagedError, NewerError) as error:
            raise type(error)(f"cannot read {os.fspath(path)}: {error}") from None

    def in_stars(self) -> Self:
        """Return the same games with regret in ratings, for example in stars.

        Only for environments built from ratings. How much a reward of 1 is worth depends on the
        arms, so it may differ between seeds.
        """
        ledgers = [self._in_stars(ledger) for ledger in self.ledgers]
        return type(self)(ledgers, self.parameters)

    def _in_stars(self, ledger: Ledger) -> Ledger:
        scale_of = getattr(self.environments.get(ledger.environment), "reward_scale", None)
        if scale_of is None:
            raise ValueError(
                f"{ledger.environment} is not built from ratings, so its regret has no scale (or "
                f"the results are in ratings already)"
            )
        return replace(ledger, regret=ledger.regret * scale_of(ledger.seed))

    def to_pandas(self) -> pandas.DataFrame:
        """Return tidy rows: environment, attack, policy, seed, round, regret, reward, spent, ...

        Each swept parameter has a column, such as ``attack.budget`` or ``policy.tolerance``.
        """
        return frames.to_pandas(self.ledgers, self.parameters)

    def to_polars(self) -> polars.DataFrame:
        """Return tidy rows for Polars."""
        return frames.to_polars(self.ledgers, self.parameters)

    def to_arrow(self) -> pyarrow.Table:
        """Return tidy rows for Arrow; labels are dictionary-encoded."""
        return frames.to_arrow(self.ledgers, self.parameters)

    def summary(self) -> Summary:
        """Return final regrets with 95 % intervals."""
        return summarize(self.ledgers)

    def plot(
        self, *paths: str | os.PathLike[str], title: str | None = None, share_y: bool = False
    ) -> None:
        """Draw regret curves, one row of panels per environment; the suffix sets the format."""
        rows: dict[str, list[Ledger]] = {}
        for ledger in self.ledgers:
            rows.setdefault(ledger.environment, []).append(ledger)
        draw_panels(list(rows.items()), paths, title=title, share_y=share_y)

    def __len__(self) -> int:
        return len(self.ledgers)

    def __repr__(self) -> str:
        return f"Results({len(self.ledgers)} games)\n{self.summary()}"


def compare(
    *,
    environments: Sequence[Environment] | Mapping[str, Environment],
    policies: Sequence[PolicyLike] | Mapping[str, PolicyLike],
    attacks: Sequence[Attack] | Mapping[str, Attack] | None = None,
    rounds: int = ROUNDS,
    seeds: int | Sequence[int] = SEEDS,
    workers: int | None = None,
    progress: bool | None = None,
    points: int = POINTS,
    title: str = "compare",
) -> Results:
    """Play every policy against every attack in every environment, over all seeds, on all cores.

    Games that share an environment and a seed have the same rounds, so differences between
    policies are paired. The results are the same bits for any number of workers.

    Parameters
    ----------
    environments, policies, attacks
        Lists of recipes, or mappings from label to recipe. Without ``attacks``, nothing attacks.
        Objects that choose and learn may stand for policies, as in :func:`simulate`.
    rounds
        Length of each game.
    seeds
        How many seeds (0, 1, 2, ...), or a list of them.
    workers
        How many threads; one for each core by default.
    progress
        Whether to show a progress bar; by default only on a terminal.
    points
        How many rounds of each game to record at most.
    title
        Text beside the progress bar.

    Examples
    --------
    >>> import robustbandits as rb
    >>> results = rb.compare(environments=[rb.environments.Simulation()],
    ...                      attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
    ...                      policies=[rb.policies.LinUCB()], rounds=1000, seeds=2)
    >>> len(results)
    4
    """
    spec = Spec(
        name=title,
        environments=environments,
        attacks=attacks,
        policies=policies,
        rounds=rounds,
        seeds=seeds,
        points=points,
    )
    return Results._of(run(spec, workers=workers, progress=progress).ledgers(), spec)
