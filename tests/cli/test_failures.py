"""How commands end: exit codes, and one line for an expected failure."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from robustbandits.cli import app as app_module
from robustbandits.cli.failures import Commands

runner = CliRunner()


def run_raising(error):
    """Run a command that raises this error."""
    small = typer.Typer(cls=Commands, pretty_exceptions_enable=False)
    small.callback()(lambda: None)

    @small.command("fail")
    def fail():
        raise error

    return runner.invoke(small, ["fail"])


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("budget must be >= 0, got -1.0"), "budget must be >= 0, got -1.0"),
        (ValueError("two\n  lines"), "two lines"),
        (ValueError(), "ValueError"),
        (OSError(28, "No space left on device", "store/x"), "store/x: No space left on device"),
        (OSError("no connection"), "no connection"),
        (ImportError("install it: pip install 'x[y]'"), "install it: pip install 'x[y]'"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_an_expected_failure_prints_one_line_and_exits_with_1(error, line):
    result = run_raising(error)
    assert result.exit_code == 1
    assert result.stderr == f"error: {line}\n"
    assert not result.stdout


def test_the_notes_of_an_error_are_shown():
    error = ValueError("boom")
    error.add_note("ValueError in mine:Broken.choose")
    error.add_note("while playing a match")
    notes = "ValueError in mine:Broken.choose; while playing a match"
    shown = f"boom ({notes}; ROBUSTBANDITS_TRACEBACK=1 shows where)"
    assert run_raising(error).stderr == f"error: {shown}\n"


def test_an_interrupted_command_exits_with_130():
    result = run_raising(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"


def test_a_bug_keeps_its_traceback():
    result = run_raising(TypeError("a bug"))
    assert isinstance(result.exception, TypeError)


def test_an_environment_variable_shows_the_traceback(monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_TRACEBACK", "1")
    assert isinstance(run_raising(ValueError("known")).exception, ValueError)


def test_a_command_can_choose_its_exit_code():
    assert run_raising(typer.Exit(7)).exit_code == 7


def test_an_interrupt_outside_a_command_exits_with_130(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(app_module, "app", interrupted)
    with pytest.raises(SystemExit) as caught:
        app_module.main()
    assert caught.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize(
    "arguments",
    [
        *(["reproduce", *option] for option in (["--seeds", "-1"], ["--reading", "loud"])),
        *(["play", *option] for option in (["--rounds", "0"], ["--budget", "much"])),
        *(["run", "smoke", *option] for option in (["--workers", "0"], ["--engine", "dask://"])),
        ["cache", "clear", "data"],
        ["list", "polices"],
    ],
    ids=" ".join,
)
def test_a_bad_option_is_a_usage_error_that_creates_nothing(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runner.invoke(app_module.app, arguments).exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["bench"], ["cache", "fill"]], ids=" ".join)
def test_an_unknown_policy_is_answered_with_the_nearest_name(command):
    result = runner.invoke(app_module.app, [*command, "LinUBC"])
    assert result.exit_code == 2
    assert "LinUCB" in result.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["play", "--policy", "LinUBC"], 1),
        (["run", "no-such-spec"], 1),
        (["play", "--rounds", "none"], 2),
        (["conquer"], 2),
    ],
)
def test_exit_codes_of_the_real_command(arguments, code, tmp_path):
    command = [sys.executable, "-m", "robustbandits", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
