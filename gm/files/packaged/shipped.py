"""Paths of packaged files: prompts, template worlds, kinds of things, files for assistants, the documentation."""

from __future__ import annotations

from pathlib import Path

from gm.base.languages import choose_code
from gm.base.packed import read_packed

_PACKAGE = Path(__file__).resolve().parent.parent.parent


def shipped_prompts() -> Path:
    """Folder of the packaged prompt templates."""
    packed = _PACKAGE / "_shipped" / "prompts"
    return packed if packed.is_dir() else _PACKAGE.parent / "prompts"


def shipped_world(name: str) -> Path:
    """Folder with the ``gm.yaml``, the personas and the library of a template world."""
    if name == "studio":
        # In a checkout the repository itself is the studio.
        packed = _PACKAGE / "_shipped" / "studio"
        return packed if packed.is_dir() else _PACKAGE.parent
    return _PACKAGE / "worlds" / name


def shipped_blank() -> Path:
    """Folder with the files of a world that says nothing yet, by language."""
    return _PACKAGE / "worlds" / "blank"


def shipped_languages() -> tuple[str, ...]:
    """Languages in which ``gm new`` can make a world."""
    return tuple(sorted(path.name for path in shipped_blank().iterdir() if path.is_dir()))


def shipped_questions(language: str) -> Path:
    """File of the questions of an interview, English where there are none."""
    folder = _PACKAGE / "api" / "experiments" / "interview"
    return folder / f"{choose_code(folder, language)}.yaml"


def shipped_kinds() -> Path:
    """File of the general kinds of things."""
    return _PACKAGE / "memory" / "recall" / "kinds.json"


def shipped_near_words(language: str) -> Path:
    """File of the words that mean nearly the same; there is none in most languages."""
    return _PACKAGE / "memory" / "recall" / "near_words" / f"{language}.txt"


def shipped_docs() -> dict[str, str]:
    """Return the pages of the documentation, as Markdown, by path."""
    return read_packed(_PACKAGE / "_shipped" / "docs.tar.xz", _PACKAGE.parent / "docs", ends=".md")


def shipped_assistant(name: str) -> Path:
    """Folder with the files for a coding assistant."""
    return _PACKAGE / "assistants" / name


def shipped_worlds() -> tuple[str, ...]:
    """Names of the template worlds of ``gm init``."""
    beside = sorted(path.name for path in (_PACKAGE / "worlds").iterdir() if (path / "gm.yaml").is_file())
    return ("studio", *beside)
