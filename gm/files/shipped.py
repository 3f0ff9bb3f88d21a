"""What travels with the program: prompts and the worlds that new ones are made from."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped_prompts() -> Path:
    """Folder of the packaged prompt templates."""
    packed = _PACKAGE / "_shipped" / "prompts"
    return packed if packed.is_dir() else _PACKAGE.parent / "prompts"


def shipped_world(name: str) -> Path:
    """Folder with the ``gm.yaml``, the personas and the library that a new world of this name starts from."""
    if name == "studio":
        # In a checkout the repository itself is the studio.
        packed = _PACKAGE / "_shipped" / "studio"
        return packed if packed.is_dir() else _PACKAGE.parent
    return _PACKAGE / "worlds" / name


def shipped_day(name: str) -> Path | None:
    """Folder with what a recorded first day of this world left behind: state, traces, gallery; None without one."""
    folder = _PACKAGE / "worlds" / "recorded" / name
    return folder if folder.is_dir() else None


def shipped_assistant(name: str) -> Path:
    """Folder with the files that a coding assistant plays a world with."""
    return _PACKAGE / "assistants" / name


def shipped_worlds() -> tuple[str, ...]:
    """Names of the worlds that ``gm init`` can make."""
    beside = sorted(path.name for path in (_PACKAGE / "worlds").iterdir() if (path / "gm.yaml").is_file())
    return ("studio", *beside)
