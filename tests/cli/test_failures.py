"""How commands end: exit codes, one line for what is known to go wrong."""

import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from robustbandits.cli import app as app_module
from robustbandits.cli.app import app
from robustbandits.cli.failures import Commands

runner = CliRunner()


def ending(error):
    """Run a command that ends with this error."""
    small = typer.Typer(cls=Commands, pretty_exceptions_enable=False)

    @small.command("fail")
    def fail():
        raise error

    @small.command("other")
    def other():
        pass

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
def test_known_failures_are_one_line_and_exit_code_1(error, line):
    result = ending(error)
    assert result.exit_code == 1
    assert result.stderr == f"error: {line}\n"
    assert not result.stdout


def test_interrupted_is_130():
    result = ending(KeyboardInterrupt())
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"


def test_a_fault_of_ours_keeps_its_traceback():
    result = ending(TypeError("a bug"))
    assert isinstance(result.exception, TypeError)


def test_a_traceback_can_be_asked_for(monkeypatch):
    monkeypatch.setenv("ROBUSTBANDITS_TRACEBACK", "1")
    assert isinstance(ending(ValueError("known")).exception, ValueError)


def test_a_command_may_choose_its_own_exit_code():
    assert ending(typer.Exit(7)).exit_code == 7


def test_interrupted_before_a_command_is_reached_is_130_too(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(app_module, "app", interrupted)
    with pytest.raises(SystemExit) as caught:
        app_module.main()
    assert caught.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"


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


def test_run_of_a_bad_spec_names_the_line(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[environments.Simulation]\n[policies.LinUCB]\nsgima = 3\n")
    result = runner.invoke(app, ["run", str(path), "--store", str(tmp_path / "store")])
    assert result.exit_code == 1
    assert "line 3: LinUCB has no parameter 'sgima'; did you mean sigma?" in result.stderr
    assert not (tmp_path / "store").exists()
