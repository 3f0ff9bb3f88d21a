"""Answers letters and knows nothing but the files: no module of gm is used here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.llm.reader import compose

LINE = "─" * 20
Form = Callable[[dict[str, Any]], str]


def as_json(reply: dict[str, Any]) -> str:
    """Write a reply as the instructions want it."""
    return json.dumps(reply, ensure_ascii=False, indent=2)


def as_yaml(reply: dict[str, Any]) -> str:
    """Write a reply as a person likes to."""
    return yaml.safe_dump(reply, allow_unicode=True, sort_keys=False)


def as_markdown(reply: dict[str, Any]) -> str:
    """Write a reply as a chat assistant does."""
    return f"Hier ist meine Antwort:\n\n```json\n{as_json(reply)}\n```\n"


ENDINGS: dict[str, tuple[str, Form]] = {
    "json": (".json", as_json),
    "yaml": (".yaml", as_yaml),
    "yml": (".yml", as_yaml),
    "markdown": (".md", as_markdown),
}


@dataclass(frozen=True)
class Letter:
    """A question as it lies in its file."""

    path: Path
    front: dict[str, str]
    text: str

    @property
    def prompt(self) -> str:
        """What stands below the line."""
        return self.text.partition(LINE)[2].lstrip("─\n")


@dataclass
class Postman:
    """Reads the questions of a world and writes answers beside them.

    Attributes:
        root: The world's folder.
        read: The prompts that were answered, in order: what stands twice in it was asked twice.
    """

    root: Path
    read: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.root / "state" / "mailbox"

    def files(self) -> list[str]:
        """Name everything that lies there, in folders too."""
        paths = self.folder.rglob("*")
        return sorted(path.relative_to(self.folder).as_posix() for path in paths if path.is_file())

    def letters(self) -> list[Letter]:
        """Find the questions that are open: those without an answer beside them."""
        found = []
        for path in sorted(self.folder.glob("*.md")):
            _, head, text = path.read_text(encoding="utf-8").split("---\n", 2) if _is_letter(path) else ("", "", "")
            if not head:
                continue
            front = yaml.safe_load(head)
            letter = Letter(path, front, text)
            if not any((self.folder / f"{path.stem}.answer{ending}").exists() for ending, _ in ENDINGS.values()):
                found.append(letter)
        return found

    def answer_all(self, form: str = "json") -> int:
        """Answer every open letter; tells how many there were."""
        letters = self.letters()
        for letter in letters:
            self.answer(letter, form)
        return len(letters)

    def answer(self, letter: Letter, form: str = "json") -> Path:
        """Compose an answer from the prompt and write it."""
        self.read.append(letter.prompt)
        ending, write = ENDINGS[form]
        path = (self.root / letter.front["answer"]).with_suffix(ending)
        path.write_text(write(compose(letter.prompt)), encoding="utf-8")
        return path


def _is_letter(path: Path) -> bool:
    return not any(mark in path.name for mark in (".answer.", ".problem."))
