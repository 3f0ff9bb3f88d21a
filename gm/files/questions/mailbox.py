"""The mailbox: each open question is a file, with its answer in a file beside it.

``state/mailbox/day-003-scene-04-vera.md`` is a question; ``…-vera.answer.json`` (or another of ``ANSWERS``) its answer;
``…-vera.problem.md`` says why an answer cannot be used. Letters are removed once answered in the traces. A changed
question is written again; its previous files move to ``aside/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from gm.base.errors import GmError
from gm.base.frontmatter import FENCE, load_safely, split_front_matter
from gm.files.formats import disk
from gm.files.formats.text import list_folder
from gm.files.layout import Layout
from gm.files.questions.traces import TraceFolder
from gm.model.calendar import SceneRef, parse_ref

QUESTION = ".md"
PROBLEM = ".problem.md"
ASIDE_FOLDER = "aside"
_OUT_OF_SCENE = re.compile(r"-ask-[0-9a-f]{8}(?:-|\Z)")
ANSWERS = tuple(f".answer.{kind}" for kind in ("json", "yaml", "yml", "md", "txt"))


@dataclass(frozen=True, slots=True)
class PostedLetter:
    """A letter as it lies there.

    Attributes:
        since_ns: When it was written, in nanoseconds of wall time.
        answer: The newest answer; empty without one.
        problem: Why that answer cannot be used; empty unless a run has refused it.
        is_readable: Whether the answer can be read; ``problem`` says why not.
    """

    name: str
    front: Mapping[str, str]
    text: str
    since_ns: int
    answer: str
    problem: str
    is_readable: bool = True

    @property
    def who(self) -> str:
        return self.front.get("for", "")

    @property
    def asked_as(self) -> str:
        """What all letters of one question out of scene have in common, at any moment; empty for one of a day."""
        label = self.front.get("label", "")
        found = _OUT_OF_SCENE.search(label)
        return label[: found.end()].removesuffix("-") if found else ""


class PostFolder:
    """The mailbox of a world. A letter is named like ``day-003-scene-04-vera``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._folder = layout.mailbox

    def paths(self, letter: str) -> tuple[str, str]:
        """Return the paths of a question and of its expected answer, inside the world."""
        return self._shown_path(letter + QUESTION), self._shown_path(letter + ANSWERS[0])

    def write_question(self, letter: str, front: Mapping[str, str], text: str) -> None:
        """Write a question, unless the same one is there already.

        Args:
            front: Front matter; ``identity`` distinguishes questions.

        Raises:
            GmError: Writing failed.
        """
        if self._lies_there(letter, front["identity"]):
            return
        with disk.explained(self._folder):
            disk.make_private(self._folder)
            self._set_aside(letter)
            head = yaml.safe_dump(dict(front), allow_unicode=True, sort_keys=False, width=10_000)
            path = self._folder / (letter + QUESTION)
            disk.replace_synced(path, f"{FENCE}\n{head}{FENCE}\n\n{text}".encode("utf-8", "surrogatepass"))

    def answer(self, letter: str, identity: str) -> str | None:
        """Return the newest answer to a question; None without one, or when the letter holds another question.

        Raises:
            GmError: The answer cannot be read.
        """
        return self._find_newest(letter)[0] if self._lies_there(letter, identity) else None

    def _find_newest(self, letter: str) -> tuple[str | None, int]:
        there = [path for ending in ANSWERS if (path := self._folder / (letter + ending)).is_file()]
        written = {path: path.stat().st_mtime_ns for path in there}
        for path in sorted(there, key=lambda path: written[path], reverse=True):
            try:
                data = disk.read_or_none(path)
            except OSError as error:
                raise GmError(
                    f"{self._layout.shown(path)} cannot be read: {error.strerror}",
                    "correct its permissions or move it away, then run the same command again",
                ) from error
            if data is not None and data.strip():
                return data.decode("utf-8-sig", "replace"), written[path]
        return None, 0

    def put_answer(self, letter: str, identity: str, text: str) -> bool:
        """Write an answer, unless another question lies there; return whether it was written.

        Raises:
            GmError: Writing failed.
        """
        path = self._folder / (letter + ANSWERS[0])
        with disk.explained(path):
            if not self._lies_there(letter, identity):
                return False
            disk.replace_synced(path, text.encode("utf-8", "surrogatepass"))
        return True

    def posted(self) -> list[PostedLetter]:
        """Return all letters with their answers; letters that cannot be read are left out."""
        return [posted for path, front in self._find_questions() if (posted := self._read_posted(path, front))]

    def _read_posted(self, path: Path, front: Mapping[str, str]) -> PostedLetter | None:
        letter = path.name.removesuffix(QUESTION)
        with suppress(OSError):
            data, since_ns = disk.read_or_none(path), path.stat().st_mtime_ns
            if parse_ref(front.get("scene", "")) is None or data is None:
                return None
            text = data.decode("utf-8", "replace")
            try:
                answer, answered_ns = self._find_newest(letter)
            except GmError as error:
                return PostedLetter(letter, front, text, since_ns, "", error.message, is_readable=False)
            problem = self._folder / (letter + PROBLEM)
            # what was answered after the problem was named may be right
            why = (
                disk.read_or_none(problem) if problem.is_file() and problem.stat().st_mtime_ns >= answered_ns else None
            )
            return PostedLetter(letter, front, text, since_ns, answer or "", (why or b"").decode("utf-8", "replace"))
        return None

    def explain(self, letter: str, text: str) -> str:
        """Write why an answer cannot be used, remove the note for an empty text, and return its path.

        Raises:
            GmError: Writing failed.
        """
        path = self._folder / (letter + PROBLEM)
        data = text.encode("utf-8", "surrogatepass")
        with disk.explained(path):
            if not data:
                disk.remove(path)
            elif disk.read_or_none(path) != data:
                disk.replace(path, data)
        return self._layout.shown(path)

    def sweep(self, played: SceneRef | None = None) -> list[str]:
        """Remove letters answered in the traces, and those of scenes up to ``played``.

        Answers that nothing took are moved aside; return the paths of their folders inside the world.

        Raises:
            GmError: Removing failed.
        """
        unused = []
        for path, front in list(self._find_questions()):
            scene, label = front.get("scene", ""), front.get("label", "")
            place = parse_ref(scene)
            letter = path.name.removesuffix(QUESTION)
            if place is None or "/" in label:
                continue  # not gm's letter
            if self._is_kept(scene, label, front.get("identity", "")):
                self._take_away(letter)
            elif played is not None and place <= played:
                if any((self._folder / (letter + ending)).exists() for ending in ANSWERS):
                    with disk.explained(path):
                        unused.append(self._set_aside(letter))
                else:
                    self._take_away(letter)
        return unused

    def _is_kept(self, scene: str, label: str, identity: str) -> bool:
        homes = (self._layout.traces, self._layout.asks)
        return any(TraceFolder(home, scene).find(label, identity) is not None for home in homes)

    def _take_away(self, letter: str) -> None:
        with disk.explained(self._folder / letter):
            # the question last: the others are found by it after an interruption
            for ending in (*ANSWERS, PROBLEM, QUESTION):
                path = self._folder / (letter + ending)
                if not path.is_dir():  # not gm's letter
                    disk.remove(path)

    def answers(self) -> dict[str, tuple[int, int]]:
        """Return size and modification time (ns) of every answer file."""
        stamps = {}
        for path in list_folder(self._folder):
            if not path.name.endswith(ANSWERS):
                continue
            with suppress(FileNotFoundError):
                stat = path.stat()
                stamps[path.name] = (stat.st_size, stat.st_mtime_ns)
        return stamps

    def unanswered(self) -> tuple[str, ...]:
        """Return the paths of unanswered questions inside the world; no day waits for one out of scene."""
        answered = {name.removesuffix(ending) for name in self.answers() for ending in ANSWERS if name.endswith(ending)}
        names = (
            path.name for path, front in self._find_questions() if not _OUT_OF_SCENE.search(front.get("label", ""))
        )
        return tuple(sorted(self._shown_path(name) for name in names if name.removesuffix(QUESTION) not in answered))

    def _find_questions(self) -> Iterator[tuple[Path, Mapping[str, str]]]:
        for path in list_folder(self._folder):
            if path.suffix == QUESTION and not path.name.endswith((PROBLEM, *ANSWERS)):
                yield path, _read_front(path)

    def _lies_there(self, letter: str, identity: str) -> bool:
        return _read_front(self._folder / (letter + QUESTION)).get("identity") == identity

    def _set_aside(self, letter: str) -> str:
        """Move the files aside instead of deleting them: a person may have worked on them."""
        paths = [self._folder / (letter + ending) for ending in (*ANSWERS, PROBLEM, QUESTION)]
        there = [path for path in paths if path.exists()]
        if not there:
            return ""
        number = 1
        while (aside := self._folder / ASIDE_FOLDER / f"{letter}-{number}").exists():
            number += 1
        disk.make_folder(aside)
        for path in there:
            disk.rename(path, aside / path.name)
        return self._layout.shown(aside)

    def _shown_path(self, name: str) -> str:
        return self._layout.shown(self._folder / name)


def sweep_mailbox(layout: Layout, played: SceneRef | None = None) -> list[str]:
    """Apply ``PostFolder.sweep`` to a world."""
    return PostFolder(layout).sweep(played)


def _read_front(path: Path) -> Mapping[str, str]:
    try:
        data = disk.read_or_none(path)
        head = split_front_matter(data.decode("utf-8", "replace"))[0] if data else None
        front = load_safely(head or "")
    # PyYAML raises other errors for `!!bool maybe`, `!!int ""`
    except (OSError, yaml.YAMLError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return {}
    return {str(key): str(value) for key, value in front.items()} if isinstance(front, dict) else {}
