"""What the packages export: the names of their stubs, imported when they are first used."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import robustbandits as rb
from robustbandits.game.facts import CODE, OURS, PAPER, RECONSTRUCTION

PACKAGES = pytest.mark.parametrize(
    "package",
    [
        rb,
        *(
            importlib.import_module(f"robustbandits.{name}")
            for name in ("policies", "attacks", "environments", "experiments")
        ),
    ],
    ids=lambda package: package.__name__,
)


@PACKAGES
def test_every_exported_name_can_be_imported(package):
    assert package.__all__
    for name in package.__all__:
        assert getattr(package, name).__name__.endswith(name)
    assert sorted(package.__all__) == dir(package)


@pytest.mark.parametrize("package", [rb.metrics, rb.checks, rb.extend], ids=lambda p: p.__name__)
def test_tab_completion_shows_public_names_only(package):
    shown = [name for name in dir(package) if not name.startswith("__")]
    assert shown == sorted(package.__all__)
    assert all(hasattr(package, name) for name in shown)


@PACKAGES
def test_unknown_name_is_no_attribute(package):
    with pytest.raises(AttributeError, match=rf"module '{package.__name__}' has no attribute"):
        package.Unknown  # noqa: B018


@PACKAGES
def test_no_exported_name_is_that_of_a_submodule_unless_it_is_one(package):
    # Importing a submodule replaces the attribute of its name.
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    for name in modules & set(package.__all__):
        assert inspect.ismodule(getattr(package, name))


@pytest.mark.parametrize("name", rb.policies.__all__)
def test_policy_states_its_facts(name):
    kind = getattr(rb.policies, name)
    assert kind.facts.setting in ("contextual", "fixed arms", "MAB")
    assert kind.facts.provenance in (PAPER, CODE, RECONSTRUCTION, OURS)
    texts = kind.facts._replace(needs=("anything",), infinite_arms=True)  # no other field is empty
    assert all(texts)
    if kind.facts.provenance == RECONSTRUCTION:
        assert "reconstruct" in (inspect.getdoc(kind) or "").lower()


def imports(statement, *modules):
    """Return which of the modules a fresh interpreter has imported after a statement."""
    code = f"import sys; {statement}; print(*(set({modules!r}) & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    return result.stdout.split()


def test_importing_the_package_imports_neither_numba_nor_numpy():
    assert imports("import robustbandits as rb; dir(rb); rb.__version__", "numba", "numpy") == []


def test_using_a_policy_does_not_import_the_others():
    other = "robustbandits.policies.linear.robust_bandit"
    assert imports("import robustbandits as rb; rb.policies.LinUCB", other, "numba") == ["numba"]


def provenances():
    """Return the names of all policies by the source of their specification."""
    found = {}
    for name in rb.policies.__all__:
        found.setdefault(getattr(rb.policies, name).facts.provenance, set()).add(name)
    return found


def test_policies_read_in_their_papers_or_authors_code_say_so():
    assert provenances()[PAPER] >= {"BARBAR", "TsallisINF", "COBE", "SlidingWindowLinUCB", "BOB"}
    assert provenances()[CODE] >= {"WeightedOFUL", "MultiLevelWeightedOFUL", "RobustUCB"}


def test_policies_made_from_summaries_are_experimental():
    assert RECONSTRUCTION.startswith("experimental: ")
    assert provenances()[RECONSTRUCTION] == {
        "FastSlowElimination",
        "MLAER",
        "BARBAT",
        "SuccessiveElimination",
        "SupportBasisExploration",
        "HuberOFUL",
        "RobustRegressionUCB",
        "MaxMinUCB",
        "MinWD",
    }
