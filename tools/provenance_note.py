"""Where the numbers of a page come from: commit, machine, and the commands that make them again."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from robustbandits.experiments import Experiment
from robustbandits.reports.rerun import rerun


def provenance_note(experiment: Experiment, page: str) -> str:
    """Return a paragraph of Markdown on how an experiment's numbers in a page were made."""
    spec, notes = experiment.spec, experiment.provenance
    facts = [f"T = {spec.rounds:,}", f"{len(spec.seeds)} seeds", f"commit {_commits(notes)}"]
    if notes.get("when"):
        facts.append(f"finished {str(notes['when'])[:10]}")
    machine = notes.get("machine") or {}
    if machine.get("processor"):
        facts.append(f"{machine['cores']} cores of {machine['processor']}")
    finished, planned = notes.get("finished"), notes.get("planned")
    if finished != planned:
        facts.append(f"**unfinished: {finished} of {planned} matches**")
    command = rerun(spec).commands.splitlines()[0]
    fill = f"python -m tools.policy_tables STORE {page}"
    text = textwrap.fill(f"{'; '.join(facts)}. Made by:", 120, break_long_words=False)
    return f"{text}\n\n```\n{command}\n{fill}\n```\n"


def _commits(notes: Mapping[str, Any]) -> str:
    """Return all commits that played a part of the experiment."""
    commits = (notes.get("commit"), *notes.get("other_commits", []))
    return " and ".join(_commit(commit) for commit in commits)


def _commit(commit: str | None) -> str:
    if commit is None:
        return "unknown (not played from a checkout)"
    number, mark, _ = commit.partition("-dirty")
    return f"`{number[:12]}`" + (" with changes that were not committed" if mark else "")
