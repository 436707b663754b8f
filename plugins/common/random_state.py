"""The one random-state policy: a seed, and children of it by what they are for."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np

from sdmetrics_disclosure.adapters.sources.seeding import integer_seed


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """The seed behind `random_state`; the global NumPy state is neither read nor changed.

    Args:
        random_state:
            An int, None (fresh entropy), a SeedSequence (not changed), or a Generator or
            RandomState (one number is drawn from it).

    Raises:
        TypeError: If it is none of these.
        ValueError: If it is a negative int.
    """
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31)))
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"`random_state` is {random_state}; pass a whole number from 0.")
        return np.random.SeedSequence(int(random_state))
    raise TypeError(
        f"`random_state` is a {type(random_state).__name__}; pass a whole number, None, or a "
        "NumPy Generator."
    )


def recorded_seed(random_state: Any) -> int:
    """A seed that can be written down; a whole number is its own.

    Args:
        random_state:
            As for `seed_sequence`.
    """
    seeds = seed_sequence(random_state)
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return integer_seed(seeds)


def child(seeds: np.random.SeedSequence, *path: int) -> np.random.SeedSequence:
    """The seed for one purpose, the same however many others are asked for."""
    return np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, *path))


def named_child(seeds: np.random.SeedSequence, name: Hashable) -> np.random.SeedSequence:
    """The seed of what has this name, wherever it stands among others.

    Args:
        seeds:
            Their parent.
        name:
            Of a column; 1 and "1" are two.
    """
    kind = "int" if isinstance(name, (int, np.integer)) else type(name).__name__
    digest = hashlib.blake2b(f"{kind} {name}".encode("utf-8", "surrogatepass"), digest_size=16)
    return child(seeds, *np.frombuffer(digest.digest(), dtype="<u4").tolist())


def generator(seeds: np.random.SeedSequence, *path: int) -> np.random.Generator:
    """A generator for one purpose (see `child`)."""
    return np.random.default_rng(child(seeds, *path))
