"""Reference implementations to measure against: LinUCB in hand-written C and in NumPy."""

from __future__ import annotations

import ctypes
import math
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from robustbandits.game.rounds import Rounds

RIDGE, SIGMA, DELTA = 0.1, 0.1, 0.01
Player = Callable[[Rounds], None]


def compile_c(folder: Path) -> ctypes.CDLL:
    """Compile the C round for this machine."""
    library = folder / "linucb.so"
    source = Path(__file__).with_name("linucb.c")
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.linucb.restype = loaded.whole_game.restype = ctypes.c_double
    return loaded


def c_game(library: ctypes.CDLL, dim: int, arms: int, rounds: int, *, fixed: bool) -> float:
    """Draw and play a whole game of LinUCB in C, without attack; return the regret."""
    sizes = [ctypes.c_int64(n) for n in (rounds, dim, arms, fixed)]
    settings = [ctypes.c_double(value) for value in (RIDGE, SIGMA, DELTA)]
    regret: float = library.whole_game(*sizes, *settings, ctypes.c_uint64(1))
    return regret


def c_player(library: ctypes.CDLL, dim: int, arms: int) -> Player:
    """Return a player of LinUCB in C, without attack."""
    inverse, theta = np.eye(dim) / RIDGE, np.zeros(dim)
    pulls, played = np.zeros(arms, dtype=np.int64), [0]

    def play(block: Rounds) -> None:
        arrays = [a.ctypes.data_as(ctypes.c_void_p) for a in block[:4]]
        sizes = [ctypes.c_int64(n) for n in (len(block.noise), dim, arms)]
        settings = [ctypes.c_double(value) for value in (RIDGE, SIGMA, DELTA)]
        memory = [a.ctypes.data_as(ctypes.c_void_p) for a in (inverse, theta, pulls)]
        library.linucb(*sizes, *arrays, *settings, ctypes.c_int64(played[0]), *memory)
        played[0] += len(block.noise)

    return play


def numpy_player(dim: int, arms: int) -> Player:
    """Return a player of LinUCB in vectorized NumPy, with one Python step per round, no attack."""
    inverse, theta, played = np.eye(dim) / RIDGE, np.zeros(dim), [0]

    def play(block: Rounds) -> None:
        nonlocal inverse
        for t in range(len(block.noise)):
            played[0] += 1
            contexts = block.contexts[t]
            beta = SIGMA * math.sqrt(dim * math.log((1 + played[0] / RIDGE) / DELTA))
            beta += math.sqrt(RIDGE)
            widths = np.sqrt(np.einsum("ia,ia->a", contexts, inverse @ contexts))
            arm = int(np.argmax(theta @ contexts + beta * widths))
            x = contexts[:, arm]
            v = inverse @ x
            shrink = 1 / (1 + x @ v)
            theta[:] += shrink * (block.means[t, arm] + block.noise[t] - x @ theta) * v
            inverse -= shrink * np.outer(v, v)

    return play
