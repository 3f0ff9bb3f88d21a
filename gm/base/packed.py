"""Texts that are a folder in a checkout and one packed file in a wheel (``hatch_build.py``)."""

from __future__ import annotations

import tarfile
from pathlib import Path


def read_packed(packed: Path, folder: Path, begins: str = "", ends: str = "") -> dict[str, str]:
    """Return the texts whose paths below a folder begin so, by path: from the packed file if there is one.

    ``ends``: What the names of the files in the folder end with.
    """
    if not packed.is_file():
        found = {
            path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob(f"*{ends}")) if path.is_file()
        }
        return {name: path.read_bytes().decode("utf-8") for name, path in found.items() if name.startswith(begins)}
    texts = {}
    with tarfile.open(packed, "r:*") as archive:
        for entry in archive:
            data = archive.extractfile(entry) if entry.name.startswith(begins) else None
            if data is not None:
                texts[entry.name] = data.read().decode("utf-8")
    return texts
