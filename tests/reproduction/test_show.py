"""A verdict as a table, a sentence and JSON."""

import csv
import json
import re

from reports.sample_experiments import experiment_with_finals
from reproduction.test_verdict import GARCELON, PUBLISHED, around, verdict
from robustbandits.reproduction.show import verdict_sentence, verdict_table, verdict_values
from robustbandits.reproduction.verdict import judge

CONSISTENT = {"LinUCB": around(100), "BOBNoRestart": around(20), "LinTS": around(60)}
DIFFERENT = {**CONSISTENT, "LinUCB": around(130)}


def test_table_has_our_range_the_quantile_and_the_verdict():
    table = verdict_table(verdict(**DIFFERENT, mine=around(7)))
    assert [row[-1] for row in table.rows] == ["differs", "inside", "inside", None]
    lines = table.to_markdown().splitlines()
    assert lines[2] == ("| environment | attack | policy | ours | published | quantile | verdict |")
    assert re.search(r"LinTS \| 60 \(56\.\d+ to 63\.\d+\) \| 60 \| 0\.\d+ \| inside", lines[6])
    rows = list(csv.DictReader(table.to_csv().splitlines()))
    assert float(rows[0]["ours_low"]) < 130 < float(rows[0]["ours_high"])
    assert rows[3]["quantile"] == ""


def test_table_says_how_the_range_was_made():
    assert "of 12 seeds" in verdict_table(verdict(**CONSISTENT)).notes[0]
    assert "(Student's t)" in verdict_table(verdict(**CONSISTENT)).notes[0]
    many = verdict_table(verdict(LinUCB=around(100, seeds=30)))
    assert "(bootstrap over seeds)" in many.notes[0]


def test_sentence_gives_one_verdict_on_the_whole_figure():
    consistent = verdict_sentence(verdict(**CONSISTENT))
    assert consistent.startswith(
        "consistent with the paper. Of 3 published numbers, none lies outside the central 95 % of "
        "our means of 10 runs (0.15 expected by chance), and none lies so far outside that 3 "
        "comparisons do not explain it (Holm's method; smallest adjusted p-value "
    )
    different = verdict_sentence(verdict(**DIFFERENT))
    assert different.startswith("not consistent with the paper. Of 3 published numbers, 1 lies")
    assert different.endswith("smallest adjusted p-value below 0.001).")
    assert verdict_sentence(verdict(LinUCB=[1.0])) == "nothing was compared with the paper."


def test_json_has_every_number_and_the_verdict():
    games = {("Garcelon", name): values for name, values in DIFFERENT.items()}
    experiment = experiment_with_finals(games, attacks=GARCELON)
    figure = judge(experiment, PUBLISHED)
    values = json.loads(json.dumps(verdict_values(figure, experiment.spec), allow_nan=False))
    assert {key: values[key] for key in ("consistent", "compared", "outside", "differing")} == {
        "consistent": False,
        "compared": 3,
        "outside": 1,
        "differing": 1,
    }
    assert values["published_runs"] == 10
    assert values["smallest_adjusted_p_value"] == figure.smallest_adjusted
    first = values["numbers"][0]
    assert first["policy"] == "LinUCB"
    assert first["low"] < first["mean"] < first["high"]
    assert first["verdict"] == "differs"


def test_json_of_a_single_seed_has_nulls():
    experiment = experiment_with_finals({("Garcelon", "LinUCB"): [1.0]}, attacks=GARCELON)
    values = verdict_values(judge(experiment, PUBLISHED), experiment.spec)
    assert json.dumps(values, allow_nan=False)
    assert values["consistent"] is None
    assert values["numbers"][0]["low"] is None
