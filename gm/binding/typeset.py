"""Run typst on a folder of its own: it sees what is put there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from gm.errors import GmError

Tell = Callable[[str], object]
"""Is told, in a sentence, what had to be done without."""

TIMESTAMP = 0  # a date on the wall is no part of a world


def tell_nobody(_notice: str) -> None:
    """Keep it to oneself."""


class TypesetError(Exception):
    """typst could not set what it was given."""


def typeset(root: Path, source: str, *, system_fonts: bool = False, **options: Any) -> bytes:
    """Set a document; the same source and files give the same bytes, as long as the same fonts are used.

    Args:
        root: A folder that holds what the source reads; typst cannot leave it, and asks no server for packages.
        source: Typst code of ours; never a text of the world.
        system_fonts: Whether fonts of this machine may help out where those that typst brings along lack a letter.
        options: Passed on to ``typst.compile``: ``format``, ``sys_inputs``, ``pdf_standards``, ``ppi``.

    Raises:
        TypesetError: It could not be set.
        GmError: The package typst is not installed.
    """
    try:
        import typst
    except ImportError as error:
        raise GmError("the typst package is not installed", "pip install 'gm[book]'") from error

    main = root / "main.typ"
    main.write_text(source, encoding="utf-8")
    try:
        data: bytes = typst.compile(
            main,
            root=root,
            font_paths=typst.Fonts(include_system_fonts=system_fonts),
            timestamp=TIMESTAMP,
            package_path=root,
            package_cache_path=root,
            **options,
        )
    except typst.TypstError as error:
        raise TypesetError(str(error)) from error
    return data
