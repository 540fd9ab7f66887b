"""The document on the reproduction of Figure 1."""

import robustbandits as rb
from reports.sample_experiments import experiment_with_finals
from robustbandits.reproduction.readings import READINGS, reading, reading_of
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


def test_document_says_how_it_was_made_and_what_was_found():
    text = reproduction_text(
        [experiment_with_finals(GAMES, attacks=GARCELON)], "robustbandits reproduce"
    )
    assert "Made by `robustbandits reproduce`" in text
    assert "4 games of 10 rounds, 2 seeds" in text
    assert "| simulation | Garcelon | LinUCB | 100 (95 to 105)" in text
    assert "stand-in" not in text


def test_document_with_a_stand_in_says_so():
    label = "Netflix (synthetic stand-in)"
    games = experiment_with_finals(GAMES, attacks=GARCELON, environments=(label,))
    text = reproduction_text([games], "x")
    assert "**The Netflix panels here use a synthetic stand-in**" in text


def test_document_and_figures_are_written(tmp_path):
    files = write_reproduction([experiment_with_finals(GAMES, attacks=GARCELON)], tmp_path, "x")
    assert [file.name for file in files] == ["reproduction.md", "figure1.png", "figure1.svg"]
    assert files[1].read_bytes().startswith(b"\x89PNG")
