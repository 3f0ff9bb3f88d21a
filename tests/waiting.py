"""Waiting for what another process does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], bool], what: str, most_s: float = 60) -> None:
    """Look again until something is so; ``what`` names it in the failure."""
    end = time.monotonic() + most_s
    while not is_so():
        assert time.monotonic() < end, f"never: {what}"
        threading.Event().wait(0.02)
