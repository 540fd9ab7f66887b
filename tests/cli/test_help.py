"""Help with examples, completion, no colors on request, and a quick start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from cli.commands import invoke
from robustbandits.cli import app as app_module
from robustbandits.cli.app import app


def command_paths():
    """Return every command and subcommand."""
    found = []
    waiting = [([], get_command(app))]
    while waiting:
        path, command = waiting.pop()
        inner = getattr(command, "commands", {})
        waiting.extend(([*path, name], command) for name, command in inner.items())
        if path and not inner:
            found.append(path)
    return sorted(found)


def test_every_module_of_a_verb_is_a_command():
    modules = {path.stem for path in Path(app_module.__file__).parent.glob("[!_]*.py")}
    assert set(get_command(app).commands) == modules - {"app", "failures"}


@pytest.mark.parametrize("path", command_paths(), ids=" ".join)
def test_the_help_of_every_command_has_an_example(path):
    result = invoke(*path, "--help")
    assert "Example: robustbandits " + " ".join(path) in " ".join(result.output.split())


def completed(*words):
    """Return what the shell offers for the last word."""
    line = {"COMP_WORDS": " ".join(["robustbandits", *words]), "COMP_CWORD": str(len(words))}
    environment = {"_ROBUSTBANDITS_COMPLETE": "complete_bash", **line}
    return CliRunner().invoke(app, [], prog_name="robustbandits", env=environment).output.split()


def test_the_shell_completes_commands_arguments_and_recipes():
    assert completed("rep") == ["report", "reproduce"]
    assert completed("list", "pol") == ["policies"]
    assert completed("play", "--policy", "Lin") == ["LinUCB", "LinTS"]
    assert completed("run", "smo") == ["smoke"]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--help"], ["play", "--help"], ["list"], ["conquer"]])
def test_no_color_wins_over_force_color(arguments):
    environment = {**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "1"}
    command = [sys.executable, "-m", "robustbandits", *arguments]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.stdout or done.stderr
    assert b"\x1b[" not in done.stdout + done.stderr


def test_help_imports_no_large_library():
    heavy = ("numba", "numpy", "scipy", "pandas", "polars", "pyarrow", "dask", "distributed")
    heavy += ("plotly", "matplotlib", "rich.console")
    code = (
        "import sys\n"
        "from robustbandits.cli.app import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        f"sys.exit(', '.join(name for name in {heavy} if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout
