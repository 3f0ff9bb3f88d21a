"""Rules for tags: unique, spelled consistently, not the owner's name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from gm.base.errors import Problem
from gm.files.check.files import Files, Often, StreamFile
from gm.files.check.streams import PLAIN_TAG

_WORDS = re.compile(r"(?:[^\W_A-Z]|-)+")
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def spelling(stream: StreamFile, _files: Files) -> Iterator[Problem]:
    """A tag is unique in a memory, composed Unicode (NFC), and not the owner's id."""
    often = Often(stream)
    special = {tag for tag in stream.tags if not PLAIN_TAG.fullmatch(tag) or tag == stream.agent}
    for line in stream.suspects:
        tags = line.record["tags"]
        if special.isdisjoint(tags) and len(set(tags)) == len(tags):
            continue
        for index, tag in enumerate(tags):
            keys = ("tags", index)
            if not unicodedata.is_normalized("NFC", tag):
                message = f"tag {tag!r} is written with combining marks (NFD); it is matched all the same"
                yield stream.at(line, keys, "warning", "tag-nfd", message, "gm check --fix writes it as NFC")
            if unicodedata.normalize("NFC", tag) in map(_composed, tags[:index]):
                hint = "gm check --fix takes the second one out"
                yield stream.at(line, keys, "warning", "tag-twice", f"tag {tag!r} stands here twice", hint)
            if not tag.strip():
                yield stream.at(line, keys, "warning", "tag-empty", "an empty tag", "take it out")
            elif _WORDS.fullmatch(_composed(tag)) is None:
                message = f"tag {tag!r} is more than lower-case letters, digits and hyphens; it is matched as it stands"
                often.add(tag, line, keys, "info", "tag-form", message)
            elif PLAIN_TAG.fullmatch(tag) is None:
                message = f"tag {tag!r} has letters beyond a–z; it is matched as it stands"
                often.add("letters", line, keys, "info", "tag-letters", message)
            if tag.casefold() == stream.agent and line.record["id"] not in stream.copies:
                message = f"tag {tag!r} is the owner's own name: it is true of every memory here"
                often.add(("own", tag), line, keys, "info", "tag-own-name", message)
    yield from often.problems()


def variants(files: Files) -> Iterator[Problem]:
    """A tag has one spelling throughout the world; the rarer one is reported at its first place."""
    spellings: dict[str, set[str]] = {}
    for tag in frozenset().union(*(stream.tags for stream in files.streams.values())):
        spellings.setdefault(_folded(tag), set()).add(tag)
    several = [forms for forms in spellings.values() if len({_composed(tag).casefold() for tag in forms}) > 1]
    if not several:
        return
    lines = {name: list(stream.again()) for name, stream in files.streams.items()}
    counts = Counter(tag for each in lines.values() for line in each for tag in line.record.get("tags", ()))
    usual = {}
    for forms in several:
        best = max(forms, key=lambda tag: (counts[tag], tag))
        usual.update({tag: best for tag in forms if _composed(tag).casefold() != _composed(best).casefold()})
    for name, stream in files.streams.items():
        often = Often(stream)
        for line in lines[name]:
            for index, tag in enumerate(line.record.get("tags", ())):
                if tag in usual:
                    message = f"tag {tag!r} is elsewhere spelled {usual[tag]!r}"
                    often.add(tag, line, ("tags", index), "info", "tag-spelling", message, "they are different tags")
        yield from often.problems()


def _composed(tag: str) -> str:
    return unicodedata.normalize("NFC", tag)


def _folded(tag: str) -> str:
    return _composed(tag).casefold().translate(_GERMAN)


RULES = (spelling,)
WORLD_RULES = (variants,)
