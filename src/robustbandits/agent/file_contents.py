"""An agent as a header and arrays, and the checks that a file must pass before it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from robustbandits.agent.file_format import SnapshotError
from robustbandits.game.problem import Problem
from robustbandits.game.recipe import VERSION_KEY, class_version
from robustbandits.kernels.linalg import Floats
from robustbandits.kernels.size_limit import SizeLimitError

#: Bytes that an array may have even if the file is smaller. It matters for third-party states,
#: which need not check sizes; those of this package are limited by `MIN_LIMIT`.
MAX_LOAD = 256 * 1024 * 1024
#: An array of a state may have this many numbers even if the file is smaller.
MIN_LIMIT = 1 << 16

#: Entries of a file's header, besides the list of its arrays.
HEADER = (
    "kind",
    "written_by",
    "policy",
    "problem",
    "reward_range",
    "capacity",
    "decisions",
    "forgotten",
    "last_forgotten",
    "next",
    "stream",
)


def check_names(what: str, found: Iterable[str], expected: Iterable[str]) -> None:
    """Raise SnapshotError for a missing or an unknown name."""
    for name in sorted(set(found) ^ set(expected)):
        verb = "lacks" if name in expected else "must not have"
        raise SnapshotError(f"its {what} {verb} {name!r}")


def upgrade_from_format_1(header: dict[str, Any], arrays: dict[str, Floats]) -> None:
    """Replace what format 1 says about ids, which were consecutive whole numbers from 0.

    It does not say how many decisions were forgotten; they are counted from now on.
    """
    header |= {"decisions": header["next"], "last_forgotten": header["forgotten"], "forgotten": 0}
    arrays["sessions"] = np.array([(0.0, -1.0, -1.0)] if header["next"] else np.empty((0, 3)))


def check_size(problem: Problem, arrays: dict[str, Floats]) -> None:
    """Refuse sizes that would allocate far more than the file holds."""
    limit = max(MAX_LOAD, sum(array.nbytes for array in arrays.values()))
    if 8 * problem.dim**2 > limit or 8 * problem.arms > limit:
        raise SnapshotError(
            f"a state for {problem.arms:,} arms and dim {problem.dim:,} needs more memory than the "
            f"file allows, {limit:,} bytes: the header is damaged"
        )


def reason(error: Exception) -> str:
    """Return one line that says why a file was refused."""
    plain = isinstance(error, SnapshotError | SizeLimitError)
    text = str(error) if plain else f"{type(error).__name__}: {error}"
    return text[:1000]  # a hostile file may hold a long value


# ----------------------------------------------------------------------------------------- recipes


def recipe_to_dict(policy: Any) -> dict[str, Any]:
    """Return a policy's parameters; raise TypeError if it cannot return them."""
    if not hasattr(policy, "to_dict") or not hasattr(type(policy), "from_dict"):
        raise TypeError(
            f"policy {policy!r} cannot be saved: it has no to_dict and from_dict; derive its class "
            f"from robustbandits.extend.Recipe"
        )
    version = class_version(type(policy))
    data: dict[str, Any] = policy.to_dict()
    return data if version == 1 else {**data, VERSION_KEY: version}


def checked_parameters(policy: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters in a file; refuse those of a version that the class cannot continue.

    A class can continue the state of an older version if it has a method ``upgrade_file``.
    """
    expected, got = class_version(policy), values.get(VERSION_KEY, 1)
    if type(got) is not int or got < 1:
        raise SnapshotError(f"the version of its policy must be a whole number, got {got!r}")
    versions = f"expected version {expected} of {policy.__name__}, got version {got}"
    if got > expected:
        raise SnapshotError(f"{versions}: update robustbandits, or the module of that class")
    if got < expected and not hasattr(policy, "upgrade_file"):
        raise SnapshotError(
            f"{versions}, which remembers other numbers: start a new agent, or load this file "
            f"with the release that wrote it"
        )
    return {key: value for key, value in values.items() if key != VERSION_KEY}


def recipe_class(name: Any, given: type[Any] | None) -> Any:
    """Return the class that the caller gave, or our policy of this name."""
    policies = importlib.import_module("robustbandits.policies")
    if given is not None:
        if given.__name__ != name:
            raise SnapshotError(f"its policy is {name!r}, but the given class is {given.__name__}")
        return given
    if name not in policies.__all__:
        raise SnapshotError(
            f"its policy {name!r} is not part of robustbandits: give its class, policy=..."
        )
    return getattr(policies, name)


# ------------------------------------------------------------------------------------------ states


def state_arrays(state: Any, prefix: str = "state") -> Iterator[tuple[str, Floats]]:
    """Yield every array of a state with its path; the recipe restores everything else."""
    names = getattr(state, "_fields", range(len(state)))
    for name, value in zip(names, state, strict=True):
        path = f"{prefix}.{name}"
        if isinstance(value, np.ndarray):
            yield path, value
        elif isinstance(value, tuple):
            yield from state_arrays(value, path)
        elif type(value).__hash__ is None:
            kind = type(value).__name__
            raise TypeError(f"{path} is a {kind}: a policy must keep what it learns in arrays")


def to_floats(name: str, array: Any) -> Floats:
    """Return an array of numbers as float64; raise SnapshotError if that would change them."""
    if array.dtype.kind not in "biuf" or not _converts_exactly(array, np.float64):
        raise SnapshotError(
            f"cannot save {name}: float64 cannot hold its {array.dtype} numbers; keep numbers in "
            f"the state that float64 holds exactly, such as whole numbers up to 2**53"
        )
    floats: Floats = array.astype(np.float64)
    return floats


def fill(name: str, array: Any, saved: Floats) -> None:
    """Overwrite a new state's array with saved numbers; where it is finite, they must be too."""
    if saved.shape != array.shape:
        raise SnapshotError(
            f"{name}: expected shape {array.shape}, got {saved.shape}. If an older version of "
            f"robustbandits wrote the file, the policy has changed since: start a new agent"
        )
    if not np.isfinite(saved[np.isfinite(array)]).all():
        raise SnapshotError(f"{name} holds numbers that are not finite")
    if not _converts_exactly(saved, array.dtype):
        raise SnapshotError(f"{name} holds numbers that are not {array.dtype}")
    array[...] = saved


def _converts_exactly(numbers: Any, dtype: Any) -> bool:
    """Whether numbers are the same after a conversion to another type and back."""
    if numbers.dtype == dtype:
        return True
    with np.errstate(all="ignore"):
        back = numbers.astype(dtype).astype(numbers.dtype)
    return np.array_equal(back, numbers, equal_nan=True)


def check_state(state: Any, memos: Floats) -> None:
    """Call the state's `check`, if it has one, with the memos of pending decisions."""
    if hasattr(state, "check"):
        state.check(memos)


# ---------------------------------------------------------------------------------- random streams


def stream_to_dict(rng: np.random.Generator) -> dict[str, Any]:
    """Return the position of a PCG64 stream, with its 128-bit numbers as hexadecimal text."""
    state: Any = rng.bit_generator.state
    return {
        "kind": "PCG64",
        "state": hex(state["state"]["state"]),
        "increment": hex(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def stream_from_dict(data: Any) -> np.random.Generator:
    """Return the stream that :func:`stream_to_dict` described, after checking every number."""
    state, increment = (_number_from_hex(data[key]) for key in ("state", "increment"))
    spare = data["has_uint32"], data["uinteger"]
    fits = all(type(n) is int and 0 <= n < top for n, top in zip(spare, (2, 1 << 32), strict=True))
    if len(data) != 5 or data["kind"] != "PCG64" or not fits or increment % 2 == 0:
        raise SnapshotError("its random stream is damaged")
    generator = np.random.PCG64(0)
    generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": spare[0],
        "uinteger": spare[1],
    }
    return np.random.Generator(generator)


def _number_from_hex(text: Any) -> int:
    number = int(text, 16) if isinstance(text, str) and len(text) <= 34 else -1
    if not 0 <= number < 1 << 128 or hex(number) != text:
        raise SnapshotError("its random stream is damaged")
    return number
