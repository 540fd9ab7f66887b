"""The programs of docs/adapters.md run."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"
LIBRARIES = (
    *("mabwiser.mab", "contextualbandits.online", "vowpalwabbit", "river.bandit", "coba"),
    *("bayesianbandits", "gymnasium"),
)


@pytest.mark.adapters
@pytest.mark.filterwarnings("default")
def test_programs_of_the_page_run(library):
    for module in LIBRARIES:
        library(module)
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 6
    names: dict[str, object] = {}
    for program in programs:
        exec(compile(program, PAGE.name, "exec"), names)
