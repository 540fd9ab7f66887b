"""A copy of the package that a test may edit, and processes that use the copy."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import robustbandits

PACKAGE = Path(robustbandits.__file__).parent

#: A game that compiles quickly; prints its result and what was compiled.
GREEDY = """
import json, numba, robustbandits as rb
from robustbandits.game.play import play
before = numba.config.CACHE_DIR
ledger = rb.simulate(environment=rb.environments.Simulation(arms=3, dim=2),
                     policy=rb.policies.Greedy(), rounds=200)
print(json.dumps({
    "package": rb.__file__,
    "pulls": ledger.pulls.tolist(),
    "regret": ledger.final_regret.hex(),
    "hits": sum(play.stats.cache_hits.values()),
    "misses": sum(play.stats.cache_misses.values()),
    "numba setting unchanged": numba.config.CACHE_DIR == before == "",
}))
"""

#: A third-party policy that always plays the arm that a helper returns.
THIRD_PARTY = """
from typing import NamedTuple
import numpy as np
from helper import favorite
from robustbandits.compiled.jit import kernel

class LoyalState(NamedTuple):
    counts: np.ndarray

    @kernel
    def choose(self, contexts, rng, memo):
        return favorite() + 0

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        self.counts[0] += 1.0

class Loyal:
    name = "Loyal"

    def start(self, problem):
        return LoyalState(np.zeros(1))
"""

HELPER = """
from robustbandits.compiled.jit import kernel

@kernel
def favorite():
    return 0
"""

LOYAL = """
import json, robustbandits as rb
from third_party import Loyal
ledger = rb.simulate(environment=rb.environments.Simulation(arms=3, dim=2),
                     policy=Loyal(), rounds=30)
print(json.dumps({"package": rb.__file__, "pulls": ledger.pulls.tolist()}))
"""

#: A third-party policy that wraps the one above.
WRAPPER = """
from typing import Any, NamedTuple
from third_party import Loyal
from robustbandits.compiled.jit import kernel
from robustbandits.game.verbs import choose, learn

class WrapperState(NamedTuple):
    inner: Any

    @kernel
    def choose(self, contexts, rng, memo):
        return choose(self.inner, contexts, rng, memo)

    @kernel
    def learn(self, arm, context, reward, memo, rng):
        learn(self.inner, arm, context, reward, memo, rng)

class Wrapper:
    name = "Wrapper"

    def start(self, problem):
        return WrapperState(Loyal().start(problem))
"""

WRAPPED = LOYAL.replace("from third_party import Loyal", "from wrapper import Wrapper as Loyal")


@dataclass(frozen=True)
class PackageCopy:
    """The folder of the copy and its cache."""

    root: Path

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    def create(self) -> PackageCopy:
        """Copy the package, and write third-party policies next to it."""
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PACKAGE, self.root / "robustbandits", ignore=ignored)
        (self.root / "third_party.py").write_text(THIRD_PARTY)
        (self.root / "helper.py").write_text(HELPER)
        (self.root / "wrapper.py").write_text(WRAPPER)
        return self

    @contextlib.contextmanager
    def edited(self, name: str, old: str, new: str) -> Iterator[None]:
        """Replace a text that occurs once; restore it at the end."""
        path = self.root / name
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new))
        try:
            yield
        finally:
            path.write_text(text)

    def run(self, script: str, cache: Path | None = None) -> dict[str, Any]:
        """Run a script with the copy in a new process; return the JSON that it prints."""
        environ = {key: value for key, value in os.environ.items() if "NUMBA" not in key}
        environ |= {
            "PYTHONPATH": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ROBUSTBANDITS_CACHE": str(cache or self.cache),
        }
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=self.root,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        assert Path(answer.pop("package")).is_relative_to(self.root)
        return answer

    def machine_code(self) -> set[str]:
        """Names of the files of machine code in the cache."""
        return {str(path.relative_to(self.cache)) for path in self.cache.rglob("*.nbc")}
