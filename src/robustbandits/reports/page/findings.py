"""What an experiment found, in a few plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from robustbandits.reports.grouped_games import GroupedGames
from robustbandits.reports.page.page_table import readable
from robustbandits.reports.panels import Panel, distinct
from robustbandits.reports.ranking import Entry, Ranking, rank

#: With more environments than this, a finding counts environments instead of naming each.
MOST_ENVIRONMENTS = 4


class _Environment(NamedTuple):
    """The panels of an environment: those with an attack, and the one without."""

    name: str
    attacked: list[Panel]
    clean: Panel | None


def findings(games: GroupedGames) -> list[str]:
    """Return a paragraph for each environment, or one for all if there are many."""
    environments = [
        _Environment(
            name,
            [panel for panel in panels if panel.attack != games.clean_attack],
            next((panel for panel in panels if panel.attack == games.clean_attack), None),
        )
        for name in distinct(panel.environment for panel in games.panels)
        if (panels := [panel for panel in games.panels if panel.environment == name])
    ]
    if len(environments) > MOST_ENVIRONMENTS:
        paragraphs = _counted(environments)
    else:
        several = len(environments) > 1
        paragraphs = [_paragraph(found, several) for found in environments]
    if paragraphs and all(len(group) == 1 for group in games.groups.values()):
        paragraphs.append("There is only one seed, so differences may be due to chance.")
    return paragraphs


def _paragraph(found: _Environment, several: bool) -> str:
    sentences = []
    if found.attacked:
        only = len(found.attacked) == 1
        when = f"under {found.attacked[0].attack}" if only else "under its worst attack"
        sentences.append(_lowest(_rank_worst(found.attacked), when))
    if found.attacked and found.clean:
        sentences += _hardest_hit(found.attacked, found.clean)
    if found.clean:
        sentences.append(_lowest(rank(found.clean), "without attack"))
    return (f"In {found.name}: " if several else "") + " ".join(sentences)


def _rank_worst(panels: Sequence[Panel]) -> Ranking:
    """Rank policies by their largest mean regret over panels, lowest first."""
    worst: dict[str, Entry] = {}
    for panel in panels:
        for entry in rank(panel).entries:
            if entry.policy not in worst or entry.mean > worst[entry.policy].mean:
                worst[entry.policy] = entry
    return Ranking(sorted(worst.values(), key=lambda entry: entry.mean))


def _lowest(ranking: Ranking, when: str) -> str:
    best, *others = ranking.entries
    if not others:
        return f"{best.policy} has a regret of {readable(best.mean)} {when}."
    second = others[0]
    doubt = "" if ranking.is_clear else ", which is not clearly more"
    return (
        f"{best.policy} has the lowest regret {when}, {readable(best.mean)}; next is "
        f"{second.policy} with {readable(second.mean)}{doubt}."
    )


def _hardest_hit(attacked: Sequence[Panel], clean: Panel) -> list[str]:
    """Return a sentence on the policy whose regret is raised most by an attack."""
    rises = [
        (float(after.mean() - before.mean()), policy, panel.attack, before, after)
        for panel in attacked
        for policy, after in panel.finals.items()
        if (before := clean.finals.get(policy)) is not None
    ]
    if not rises:
        return []
    rise, policy, attack, before, after = max(rises, key=lambda found: found[0])
    if rise <= 0:
        return ["No attack raises the mean regret of any policy."]
    return [
        f"{policy} is hit hardest: {attack} raises its regret from {readable(before.mean())} to "
        f"{readable(after.mean())}."
    ]


def _counted(environments: Sequence[_Environment]) -> list[str]:
    """Return sentences that count in how many environments a policy has the lowest regret."""
    rankings = {
        "under its worst attack": [_rank_worst(e.attacked) for e in environments if e.attacked],
        "without attack": [rank(e.clean) for e in environments if e.clean],
    }
    sentences = []
    for when, found in rankings.items():
        if found:
            policy, wins = Counter(ranking.best.policy for ranking in found).most_common(1)[0]
            sentences.append(
                f"{policy} has the lowest regret {when} in {wins} of {len(found)} environments."
            )
    return [" ".join(sentences)]
