"""Spec: the description of an experiment; made in Python, or read from TOML."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from robustbandits.experiments.labels import check_seeds, check_text, label_recipes
from robustbandits.experiments.recipe_json import canonical, recipe_from_plain, recipe_to_plain
from robustbandits.experiments.registry import SECTIONS, nearest
from robustbandits.experiments.spec_toml import SpecError as SpecError
from robustbandits.experiments.spec_toml import TomlSpec
from robustbandits.game import require
from robustbandits.game.defaults import ROUNDS, SEEDS
from robustbandits.game.ledger import POINTS
from robustbandits.game.no_attack import NoAttack
from robustbandits.game.object_policy import PolicyLike
from robustbandits.game.rounds import Environment
from robustbandits.game.verbs import Attack, Policy

#: The command line asks before it plays more games than this.
MANY_GAMES = 100_000
#: Larger values are almost certainly typing errors: a game would take weeks, a ledger gigabytes.
MAX_ROUNDS = 10**12
MAX_POINTS = 10**6
#: What to do with a policy that cannot play in an environment.
UNSUPPORTED = ("refuse", "skip")
#: A larger file is not a spec.
MAX_BYTES = 10_000_000


@dataclass(frozen=True, init=False)
class Spec:
    """Every policy against every attack in every environment, over all seeds.

    Parameters
    ----------
    name, about
        A name, and a sentence on what the experiment is for.
    environments, attacks, policies
        Lists of recipes, or mappings from label to recipe. Without ``attacks``, nothing attacks.
        Policies may also be Python objects that choose and learn (docs/adapters.md); a store takes
        only those that a TOML spec names.
    rounds
        Length of each game.
    seeds
        Number of seeds (0, 1, 2, ...), or a list of seeds.
    points
        Largest number of rounds of each game to record.
    unsupported
        What to do with an attack or a policy that cannot play in an environment, for example
        because it needs fixed arms where arms change: ``"refuse"`` raises an error before anything
        is played, ``"skip"`` leaves out its games there.

    Examples
    --------
    >>> import robustbandits as rb
    >>> spec = Spec(name="mine", environments=[rb.environments.Simulation()],
    ...             attacks=[rb.attacks.NoAttack(), rb.attacks.Garcelon(10.0)],
    ...             policies=[rb.policies.LinUCB(), rb.policies.Greedy()], rounds=1000, seeds=5)
    >>> spec.games
    20
    """

    name: str
    about: str
    environments: dict[str, Environment]
    attacks: dict[str, Attack]
    policies: dict[str, Policy]
    rounds: int
    seeds: tuple[int, ...]
    points: int
    unsupported: str

    def __init__(
        self,
        *,
        name: str,
        environments: Sequence[Environment] | Mapping[str, Environment],
        policies: Sequence[PolicyLike] | Mapping[str, PolicyLike],
        attacks: Sequence[Attack] | Mapping[str, Attack] | None = None,
        about: str = "",
        rounds: int = ROUNDS,
        seeds: int | Sequence[int] = SEEDS,
        points: int = POINTS,
        unsupported: str = "refuse",
    ):
        checked: dict[str, Any] = {
            "name": check_text("name", name),
            "about": _text("about", about),
            "environments": label_recipes("environments", environments),
            "attacks": label_recipes("attacks", [NoAttack()] if attacks is None else attacks),
            "policies": label_recipes("policies", policies),
            "rounds": _count("rounds", rounds, MAX_ROUNDS),
            "seeds": check_seeds(seeds),
            "points": _count("points", points, MAX_POINTS),
            "unsupported": require.one_of("unsupported", unsupported, UNSUPPORTED),
        }
        for key, value in checked.items():
            object.__setattr__(self, key, value)

    @property
    def games(self) -> int:
        """Number of games. With ``unsupported="skip"``, the plan may have fewer."""
        return len(self.environments) * len(self.attacks) * len(self.policies) * len(self.seeds)

    @property
    def id(self) -> str:
        """Hash of the whole spec, labels included."""
        return hashlib.sha256(canonical(self.to_dict()).encode()).hexdigest()[:32]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; :meth:`from_dict` reads them back."""
        recipes = {
            key: {label: recipe_to_plain(recipe) for label, recipe in getattr(self, key).items()}
            for key in SECTIONS
        }
        # The default is left out, so that specs older than this setting keep their ids.
        rest = {} if self.unsupported == "refuse" else {"unsupported": self.unsupported}
        return {
            "name": self.name,
            "about": self.about,
            **recipes,
            "rounds": self.rounds,
            "seeds": list(self.seeds),
            "points": self.points,
            **rest,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spec:
        """Make a spec from the values of :meth:`to_dict`.

        Recipes that the package does not export come back as
        :class:`~robustbandits.experiments.recipe_json.Outsider`: a report can show them, but they
        cannot play.
        """
        known = set(cls.__dataclass_fields__)
        wrong = sorted((set(values) | {"unsupported"}) ^ known)
        if wrong:
            raise ValueError(
                f"a spec must have the keys that Spec.to_dict() returns, and no others; missing or "
                f"unknown: {', '.join(wrong)}"
            )
        recipes = {
            key: {label: recipe_from_plain(key, plain) for label, plain in values[key].items()}
            for key in SECTIONS
        }
        return cls(**{**values, **recipes})

    def __hash__(self) -> int:
        return hash(self.id)


def ready_specs() -> dict[str, str]:
    """Return the text of each spec that comes with the package, by name."""
    folder = resources.files("robustbandits.experiments") / "specs"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return {
        file.name.removesuffix(".toml"): file.read_text(encoding="utf-8")
        for file in files
        if file.name.endswith(".toml")
    }


def read_spec(source: str | os.PathLike[str], *, allow_import: bool = False) -> Spec:
    """Read a TOML file, or a ready spec by its name.

    Parameters
    ----------
    source
        Path of the file, or name of the ready spec.
    allow_import
        Whether a recipe may be a third-party class, ``kind = "module:Class"``, or a policy any
        ``module:object`` that can choose and learn. Reading the spec then imports the module, which
        must be on Python's path, and so runs its code.

    Examples
    --------
    >>> read_spec("smoke").name
    'smoke'
    """
    path, name = Path(source), str(source)
    if path.name == name and path.suffix != ".toml" and not path.is_file():
        ready = ready_specs()
        if name not in ready:
            raise SpecError(name, None, f"neither a file nor a ready spec; {nearest(name, ready)}")
        return parse_spec(ready[name], source=name)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SpecError(
                name, None, f"expected a spec of at most {MAX_BYTES:,} bytes: check the path"
            )
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SpecError(name, None, "expected UTF-8 text: save the file as UTF-8") from None
    except OSError as error:
        raise SpecError(name, None, f"cannot be read: {error.strerror}") from error
    return parse_spec(text, source=name, allow_import=allow_import)


def parse_spec(text: str, source: str = "<text>", *, allow_import: bool = False) -> Spec:
    """Make a spec from TOML text; errors refer to it as ``source``.

    ``allow_import`` means the same as for :func:`read_spec`.
    """
    toml = TomlSpec(text, source, allow_import)
    arguments = toml.arguments()
    with toml.lines_in_errors(arguments):
        return Spec(**{"name": Path(source).stem, **arguments})


def _count(name: str, value: Any, high: int) -> int:
    count = require.count(name, value)
    if count > high:
        raise ValueError(f"{name} must be <= {high:,}, got {count:,}")
    return count


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {value!r}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be text without lone surrogates, got {value!r}")
    return value.strip()
