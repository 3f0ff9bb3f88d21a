"""Data of some figures that are not part of the project; ``BENCH_DATA`` names the folders they lie in."""

from __future__ import annotations

import os
from pathlib import Path


def find_data(name: str) -> Path:
    """Return a file in the first folder of ``BENCH_DATA`` that has it; else its name, which is no file."""
    folders = filter(None, os.environ.get("BENCH_DATA", "").split(os.pathsep))
    return next((path for folder in folders if (path := Path(folder) / name).is_file()), Path(name))
