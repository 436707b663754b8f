"""The seed of a synthesizer, which draws from global state: set for a moment, then put back."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

# Global state is one for all threads: who draws from it waits.
_LOCK = threading.RLock()
_LARGEST = 2**31 - 1


def integer_seed(random_state: Any) -> int:
    """A seed that NumPy's old state and torch both take.

    Args:
        random_state:
            An int, None (fresh entropy), a SeedSequence, or a Generator (one number is drawn).

    Raises:
        TypeError: If it is none of these.
        ValueError: If it is a negative int.
    """
    return int(np.random.default_rng(random_state).integers(_LARGEST))


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    """Seed Python's, NumPy's and (where it is loaded) torch's global state inside the block.

    Afterwards all are as before. One thread at a time is let in.
    """
    torch: Any = sys.modules.get("torch")
    with _LOCK, ExitStack() as stack:
        stack.callback(random.setstate, random.getstate())
        stack.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002
        if torch is not None:
            devices = range(torch.cuda.device_count())
            stack.enter_context(torch.random.fork_rng(devices=devices))
            torch.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        yield
