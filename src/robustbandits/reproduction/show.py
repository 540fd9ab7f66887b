"""A verdict as a table, as a sentence, and as plain values for JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from robustbandits.metrics.intervals import LEVEL
from robustbandits.reports.metric_columns import ATTACK, ENVIRONMENT, POLICY
from robustbandits.reports.table import Column, Table
from robustbandits.reproduction.prediction import ENOUGH_FOR_BOOTSTRAP
from robustbandits.reproduction.published import PUBLISHED_RUNS
from robustbandits.reproduction.readings import reading_of
from robustbandits.reproduction.verdict import FigureVerdict

if TYPE_CHECKING:
    from robustbandits.experiments.spec import Spec


def verdict_table(figure: FigureVerdict) -> Table:
    """Return all numbers of a reading beside the published ones."""
    rows = [
        (
            *number.labels,
            number.ours,
            number.published,
            None if number.quantile is None else round(number.quantile, 4),
            number.outcome,
        )
        for number in figure.numbers
    ]
    return Table(
        name="verdict",
        title="Final regret, ours beside the published",
        columns=(
            ENVIRONMENT,
            ATTACK,
            POLICY,
            Column("ours", "estimate"),
            Column("published"),
            Column("quantile"),
            Column("verdict", "text"),
        ),
        rows=tuple(rows),
        notes=(_how_to_read(figure), f"Verdict: {verdict_sentence(figure)}"),
    )


def _how_to_read(figure: FigureVerdict) -> str:
    method = "bootstrap over seeds" if figure.seeds >= ENOUGH_FOR_BOOTSTRAP else "Student's t"
    return (
        f"Ours: the mean of {figure.seeds} seeds. Brackets: the central 95 % of means of "
        f"{PUBLISHED_RUNS} such runs ({method}), with the reading error of the figure where a "
        f"number was published. Quantile: the share of these means below the published number. "
        f"Verdict: inside or outside the brackets; differs: outside by more than the number of "
        f"comparisons explains."
    )


def verdict_sentence(figure: FigureVerdict) -> str:
    """Return the verdict on the whole figure in one or two sentences."""
    outcomes = figure.outcomes
    if not outcomes:
        return "nothing was compared with the paper."
    differing, outside = outcomes.count("differs"), len(outcomes) - outcomes.count("inside")
    chance = (1 - LEVEL) * len(outcomes)
    return (
        f"{'consistent' if figure.consistent else 'not consistent'} with the paper. Of "
        f"{len(outcomes)} published numbers, {outside or 'none'} {_verb(outside)} outside the "
        f"central 95 % of our means of {PUBLISHED_RUNS} runs ({chance:.2g} expected by chance), "
        f"and {differing or 'none'} {_verb(differing)} so far outside that {len(outcomes)} "
        f"comparisons do not explain it (Holm's method; smallest adjusted p-value "
        f"{_p(figure.smallest_adjusted)})."
    )


def _verb(count: int) -> str:
    return "lies" if count < 2 else "lie"


def _p(p_value: float) -> str:
    return "below 0.001" if p_value < 0.001 else f"{p_value:.2g}"


def verdict_values(figure: FigureVerdict, spec: Spec) -> dict[str, Any]:
    """Return a verdict as plain values for JSON; None means unknown or not compared."""
    return {
        "reading": reading_of(spec),
        "rounds": spec.rounds,
        "seeds": figure.seeds,
        "published_runs": PUBLISHED_RUNS,
        "consistent": figure.consistent,
        "compared": len(figure.outcomes),
        "outside": len(figure.outcomes) - figure.outcomes.count("inside"),
        "differing": figure.outcomes.count("differs"),
        "smallest_adjusted_p_value": _known(figure.smallest_adjusted),
        "numbers": [
            {
                **number.labels._asdict(),
                "mean": number.ours.value,
                "low": _known(number.ours.low),
                "high": _known(number.ours.high),
                "published": number.published,
                "quantile": number.quantile,
                "p_value": number.p_value,
                "adjusted_p_value": number.adjusted,
                "verdict": number.outcome,
            }
            for number in figure.numbers
        ],
    }


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number
