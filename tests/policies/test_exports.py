"""What the package of policies exports."""

import dataclasses
import inspect
import subprocess
import sys

import pytest

import robustbandits as rb
from robustbandits.game.facts import CODE, OURS, PAPER, RECONSTRUCTION, PolicyFacts


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_policy_states_its_facts(name):
    kind = getattr(rb.policies, name)
    assert dataclasses.is_dataclass(kind)
    facts = kind.facts
    assert isinstance(facts, PolicyFacts)
    assert facts.setting in ("contextual", "fixed arms", "MAB")
    assert facts.provenance in (PAPER, CODE, RECONSTRUCTION, OURS)
    assert all(facts._replace(needs=("anything",)))
    if facts.provenance == RECONSTRUCTION:
        assert "reconstruct" in (inspect.getdoc(kind) or "").lower()


def test_using_a_policy_does_not_import_the_others():
    code = (
        "import sys, robustbandits as rb; rb.policies.LinUCB; "
        "sys.exit('robustbandits.policies.linear.robust_bandit' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
