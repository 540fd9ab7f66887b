"""The document on the reproduction of Figure 1."""

import json

import robustbandits as rb
from reports.sample_experiments import experiment_with_finals
from robustbandits.reproduction.readings import READINGS, reading, reading_of
from robustbandits.reproduction.verdict import judge
from robustbandits.reproduction.write import document_texts, reproduction_text, write_reproduction

GARCELON = {"Garcelon": rb.attacks.Garcelon(100.0)}
GAMES = {("Garcelon", "LinUCB"): [95.0, 105.0], ("Garcelon", "Greedy"): [18.0, 22.0]}


def test_every_reading_has_an_explanation():
    texts = document_texts()
    assert list(texts) == ["head", "stand-in", *READINGS]
    assert all(len(texts[name]) > 200 for name in READINGS)


def test_reading_can_have_another_size_and_keeps_its_name(monkeypatch, tmp_path):
    monkeypatch.setenv("ROBUSTBANDITS_DATA", str(tmp_path))
    spec = reading("as-coded", rounds=500, seeds=3)
    assert (spec.rounds, spec.seeds) == (500, (0, 1, 2))
    assert reading_of(spec) == "as-coded"
    assert spec.policies == reading("as-coded").policies


def text_of(*experiments, command="x"):
    return reproduction_text(experiments, [judge(found) for found in experiments], command)


def test_document_says_how_it_was_made_and_what_was_found():
    text = text_of(experiment_with_finals(GAMES, attacks=GARCELON), command="robustbandits x")
    assert "Made by `robustbandits x`:\n4 games of 10 rounds, 2 seeds." in text
    assert "| simulation | Garcelon | LinUCB | 100 (" in text
    assert "Verdict: nothing was compared with the paper." in text
    assert "stand-in" not in text


def test_document_gives_the_order_and_explanations_at_full_length_only():
    full = experiment_with_finals(GAMES, attacks=GARCELON, rounds=1_000_000)
    named = full._replace(spec=reading("as-coded"))
    assert "- **simulation, Garcelon.** The order" in text_of(named)
    assert document_texts()["as-coded"] in text_of(named)
    short = full._replace(spec=reading("as-coded", rounds=10))
    assert document_texts()["as-coded"] not in text_of(short)


def test_document_gives_the_seeds_of_each_reading_if_they_differ():
    experiments = [
        experiment_with_finals(GAMES, attacks=GARCELON)._replace(spec=reading(name, seeds=seeds))
        for name, seeds in (("as-written", 10), ("as-coded", 100))
    ]
    assert ", 10 seeds as-written, 100 seeds as-coded." in text_of(*experiments)


def test_document_names_every_commit_that_played():
    made = {"commit": "aaa", "other_commits": ["bbb"]}
    experiments = [
        experiment_with_finals(GAMES, attacks=GARCELON)._replace(provenance=provenance)
        for provenance in (made, {"commit": "aaa"}, {"commit": None})
    ]
    assert "12 games of 10 rounds, 2 seeds, at commit aaa and bbb." in text_of(*experiments)


def test_document_with_a_stand_in_says_so():
    label = "Netflix (synthetic stand-in)"
    text = text_of(experiment_with_finals(GAMES, attacks=GARCELON, environments=(label,)))
    assert "**The Netflix panels here use a synthetic stand-in**" in text


def test_document_figures_and_json_are_written(tmp_path):
    games = experiment_with_finals(GAMES, attacks=GARCELON)
    files = write_reproduction([games], [judge(games)], tmp_path, "x")
    names = ["reproduction.md", "figure1.png", "figure1.svg", "reproduction.json"]
    assert [file.name for file in files] == names
    assert files[1].read_bytes().startswith(b"\x89PNG")
    (values,) = json.loads(files[3].read_text(encoding="utf-8"))
    assert len(values["numbers"]) == 2
