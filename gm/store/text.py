"""Read text files that people edit, and say exactly where they are broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gm.errors import Problem

BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file as it stands, byte order mark included; empty when the file is absent."""

    content: str
    exists: bool = True

    @property
    def body(self) -> str:
        """The text without a byte order mark."""
        return self.content.removeprefix(BOM)


def read_text(path: Path, shown: str) -> tuple[Text, list[Problem]]:
    """Read a file as UTF-8. An absent file is empty and no problem."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Text("", exists=False), []
    except OSError as error:
        problem = Problem(shown, 0, 0, "error", "file-unreadable", f"cannot be read: {error.strerror}")
        return Text("", exists=False), [problem]
    try:
        return Text(data.decode("utf-8")), []
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rsplit(b"\n", 1)[-1].decode("utf-8", "replace")) + 1
        problem = Problem(
            shown,
            line,
            column,
            "error",
            "not-utf8",
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            "save the file as UTF-8",
        )
        return Text("", exists=True), [problem]


def place_in(text: str, offset: int) -> tuple[int, int]:
    """Turn an offset into a line and a column, both from 1."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1
