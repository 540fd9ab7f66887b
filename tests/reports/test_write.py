"""The whole report as files."""

import csv
import io

import pytest

import robustbandits as rb
from reports.sample_experiments import budget_sweep, linear_experiment
from robustbandits.experiments import Spec, Store, run
from robustbandits.reports.write import write_report


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("report") / "new" / "folder"


@pytest.fixture(scope="module")
def files(out):
    small = {"rounds": 100, "points": 20, "seeds": 2}
    return write_report(
        [linear_experiment("one", **small), budget_sweep(**small)], out, title="Mine"
    )


@pytest.mark.slow
def test_everything_is_written(files, out):
    assert files[0] == out / "index.html"
    assert all(file.stat().st_size > 0 for file in files)
    names = {file.relative_to(out).as_posix() for file in files}
    for folder in ("one", "budgets"):
        wanted = {f"{folder}/figure.{kind}" for kind in ("png", "svg", "pdf")}
        wanted |= {f"{folder}/tables.md", f"{folder}/tables.tex", f"{folder}/final-regret.csv"}
        assert wanted | {f"{folder}.toml"} <= names
    assert "budgets/budgets.svg" in names
    assert "one/budgets.svg" not in names
    assert {path for path in out.rglob("*") if path.is_file()} == set(files)


@pytest.mark.slow
def test_files_have_the_format_and_content_of_their_names(files, out):
    assert (out / "one/figure.png").read_bytes().startswith(b"\x89PNG")
    assert (out / "one/figure.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in (out / "one/figure.svg").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((out / "one/final-regret.csv").read_text("utf-8"))))
    assert len(rows) == 15
    # 100 rounds of 0.01 and of 0.011: two seeds of the first policy under the first attack.
    assert float(rows[0]["regret"]) == pytest.approx(1.05)
    assert "<h1>Mine</h1>" in files[0].read_text(encoding="utf-8")


@pytest.mark.slow
def test_equal_results_give_equal_files(files, tmp_path, out):
    small = {"rounds": 100, "points": 20, "seeds": 2}
    again = write_report([linear_experiment("one", **small)], tmp_path)
    for file in again[1:]:
        assert file.read_bytes() == (out / file.relative_to(tmp_path)).read_bytes(), file.name


def test_experiment_without_games_gives_a_page_and_no_figure(tmp_path):
    empty = linear_experiment("empty", skip=lambda *_: True)
    files = write_report([empty], tmp_path)
    assert [file.name for file in files] == ["index.html", "empty.toml"]
    assert "0 of 3 matches" in files[0].read_text(encoding="utf-8")


def test_report_needs_a_folder(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        write_report([], file)
    assert file.read_text(encoding="utf-8") == "mine"


def test_steps_are_announced(tmp_path):
    steps = []
    write_report([linear_experiment("empty", skip=lambda *_: True)], tmp_path, on_step=steps.append)
    assert steps == ["tables of empty", "page"]


def test_report_of_a_store_shows_infinitely_many_arms(tmp_path):
    spec = Spec(
        name="ball",
        environments={"ball in 2 dimensions": rb.environments.UnitBall(dim=2)},
        attacks={"FlipTheta": rb.attacks.FlipTheta(5.0), "no attack": rb.attacks.NoAttack()},
        policies=[rb.policies.LinUCB(), rb.policies.Greedy()],
        rounds=200,
        seeds=2,
    )
    run(spec, store=tmp_path / "store", progress=False)
    (experiment,) = Store(tmp_path / "store").experiments()
    page, *_ = write_report([experiment], tmp_path / "report")
    assert "ball in 2 dimensions" in page.read_text(encoding="utf-8")
    text = (tmp_path / "report/ball/final-regret.csv").read_text(encoding="utf-8")
    regrets = [float(row["regret"]) for row in csv.DictReader(io.StringIO(text))]
    assert len(regrets) == 4
    assert all(0.0 < regret < 200.0 for regret in regrets)
