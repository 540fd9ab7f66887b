"""Runs the command line inside a test."""

import json
from typing import Any

from typer.testing import CliRunner

from robustbandits.cli.app import app


def invoke(*arguments: Any, code: int = 0) -> Any:
    """Run a command, check its exit code, and return its result."""
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def invoke_json(*arguments: Any) -> Any:
    """Run a command with --json, and return what it prints."""
    return json.loads(invoke(*arguments, "--json").stdout)
