"""Make the pairs of a blind comparison from worlds."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from gm.api.judging.texts import MOST_WORDS, cut_alike, newest_answers, texts_of
from gm.api.new import USUAL, languages
from gm.base.errors import GmError, UsageError, refuse_errors
from gm.files.forms.text import is_there
from gm.files.judging import (
    comparison_file,
    pairs_file,
    read_comparison,
    read_pairs,
    write_comparison,
    write_pairs,
)
from gm.files.layout import Layout, find_world, is_world
from gm.files.now import load_settings
from gm.files.traces import TraceReader
from gm.model.interview import InterviewAnswer
from gm.model.verdict import DAY, INTERVIEW, Comparison, Pair

QUESTIONS = {
    "en": "In which of the two texts do the people behave more believably: as those who they are, with what they know, "
    "want and have lived through?",
    "de": "In welchem der beiden Texte verhalten sich die Leute glaubwürdiger: als die, die sie sind, mit dem, was sie "
    "wissen, wollen und erlebt haben?",
}
"""What judges are asked unless a person asks something else, by language."""
DIFFER = {"what": "--what", "worlds": "--worlds", "most": "--pairs", "seed": "--seed", "question": "--question"}


@dataclass(frozen=True, slots=True)
class Made:
    """The pairs of a folder; ``new`` = they were made now.

    Attributes:
        identical: Pairs left out, as their texts are the same.
    """

    folder: str
    what: str
    conditions: tuple[str, ...]
    items: int
    pairs: int
    new: bool
    identical: int = 0


def make_pairs(
    folder: Path, worlds: Sequence[str], what: str = DAY, most: int = 0, seed: int = 0, question: str = ""
) -> Made:
    """Make pairs of what two or more worlds have both; in a folder that has them already, find them again.

    Args:
        worlds: ``NAME=WORLD`` each: a condition, and the folder of the world that was played under it. Of interviews,
            ``NAME=WORLD#reflections,plans`` takes those in which just this was kept from the character.
        what: ``day``, ``scene`` (by its number in the day) or ``interview`` (by character and key of the question,
            the newest answers, which must be of one moment).
        most: Pairs at most, drawn by the seed; 0 = all.
        seed: Also draws the order of the pairs in the folder, and which text of each is first.

    Raises:
        UsageError: The conditions are no such, the folder holds pairs made with other arguments, or answers are of
            different moments.
        BrokenWorldError: Files that are needed cannot be read.
        GmError: There is nothing that two of the worlds have both.
    """
    named = {name: _parted(path, what) for name, path in _named(worlds).items()}
    found = {name: find_world(Path(path), named=True) for name, (path, _) in named.items()}
    if is_world(folder):
        raise UsageError(f"{folder} is a world", "name a folder that does not exist yet: the pairs go there")
    languages_used = {name: _language(layout) for name, layout in found.items()}
    if len({*languages_used.values()}) > 1:
        told = ", ".join(f"{name}: {language}" for name, language in languages_used.items())
        raise UsageError(f"the worlds speak different languages ({told})", "compare worlds of one language")
    language = next(iter(languages_used.values()))
    shown = tuple(
        "#".join(filter(None, (f"{name}={os.path.relpath(layout.root, folder)}", ",".join(named[name][1]))))
        for name, layout in found.items()
    )
    asked = question.strip() or QUESTIONS.get(language, QUESTIONS[USUAL])
    wanted = Comparison(what=what, worlds=shown, most=most, seed=seed, language=language, question=asked)
    is_begun = is_there(comparison_file(folder))
    if is_begun:
        there = read_comparison(folder)
        _refuse_other(folder, there, wanted, asks=bool(question.strip()))
        wanted = replace(wanted, identical=there.identical)
    if is_there(pairs_file(folder)):
        if not is_begun:
            raise UsageError(f"{pairs_file(folder)} is there already", "take another folder: it is not overwritten")
        pairs, problems = read_pairs(folder)
        refuse_errors(problems, "the pairs cannot be read", "correct these lines, or make the pairs in another folder")
        return _made(folder, wanted, pairs, new=False)
    texts = {name: texts_of(layout, what, named[name][1]) for name, layout in found.items()}
    _refuse_named(texts)
    if what == INTERVIEW:
        _refuse_apart(texts, {name: newest_answers(layout, named[name][1]) for name, layout in found.items()})
    pairs, identical = _drawn(texts, MOST_WORDS[what], most, random.Random(seed))
    if not pairs and identical:
        raise GmError(
            f"all pairs have identical texts ({identical})", "there is nothing to judge: were the same settings played?"
        )
    if not pairs:
        raise GmError(f"no {what} of two of these worlds to compare", "play them first; a day counts when it is over")
    wanted = replace(wanted, made_with=_made_with(tuple(found.values()), what), identical=identical)
    if not is_begun:
        write_comparison(folder, wanted)
    write_pairs(folder, pairs)
    return _made(folder, wanted, pairs, new=True)


def conditions_of(comparison: Comparison) -> tuple[str, ...]:
    """Return the names of the conditions."""
    return tuple(item.partition("=")[0] for item in comparison.worlds)


def world_of(folder: Path, comparison: Comparison) -> Layout:
    """Return the first world of a comparison; it may be gone."""
    path, _ = _parted(next(iter(comparison.worlds), "").partition("=")[2], comparison.what)
    return Layout((folder / path).resolve())


def _parted(path: str, what: str) -> tuple[str, tuple[str, ...]]:
    path, _, without = path.rpartition("#") if what == INTERVIEW and "#" in path else (path, "", "")
    return path, tuple(sorted(filter(None, map(str.strip, without.split(",")))))


def _made(folder: Path, comparison: Comparison, pairs: Sequence[Pair], *, new: bool) -> Made:
    items = len({pair.item for pair in pairs})
    return Made(str(folder), comparison.what, conditions_of(comparison), items, len(pairs), new, comparison.identical)


def _named(worlds: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in worlds:
        name, _, path = (part.strip() for part in text.partition("="))
        if not name or not path or not name.isprintable():
            raise UsageError(f"{text!r} is no condition", "write NAME=WORLD, as in full=../studio")
        if name in found:
            raise UsageError(f"two worlds are called {name!r}", "call one differently")
        found[name] = path
    if len(found) < 2:
        raise UsageError("two or more worlds are compared", "write --worlds NAME=WORLD NAME=WORLD")
    return found


def _language(layout: Layout) -> str:
    settings, problems = load_settings(layout)
    refuse_errors(problems, f"{layout.settings} cannot be read", "correct it by hand; nothing was written")
    return settings.language if settings.language in languages() else USUAL


def _refuse_other(folder: Path, there: Comparison, wanted: Comparison, *, asks: bool) -> None:
    keys = [key for key in DIFFER if asks or key != "question"]
    others = [key for key in keys if getattr(there, key) != getattr(wanted, key)]
    if others:
        told = "; ".join(f"{DIFFER[key]} was {_told(getattr(there, key))}" for key in others)
        raise UsageError(f"{folder} holds pairs that were made otherwise ({told})", "take another folder")


def _told(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _refuse_named(texts: Mapping[str, Mapping[str, str]]) -> None:
    for name in texts:
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        for world, items in texts.items():
            for item, text in items.items():
                if word.search(text):
                    raise UsageError(
                        f"the name {name!r} is a word in what is compared ({world}, {item})",
                        f"judges shall not see names of conditions: call it differently, as in {name}-1=…",
                    )


def _refuse_apart(texts: Mapping[str, Mapping[str, str]], answers: Mapping[str, Mapping[str, InterviewAnswer]]) -> None:
    for item in dict.fromkeys(item for found in texts.values() for item in found):
        moments = {name: answers[name][item].at for name, found in texts.items() if item in found}
        if len({*moments.values()}) > 1:
            told = ", ".join(f"{name}: {at}" for name, at in moments.items())
            raise UsageError(
                f"the newest answers to {item} are of different moments ({told})",
                "ask all worlds as after one moment: gm interview --at MOMENT",
            )


def _drawn(
    texts: Mapping[str, Mapping[str, str]], limit: int, most: int, dice: random.Random
) -> tuple[tuple[Pair, ...], int]:
    """Return the pairs, and how many were left out because their texts are the same."""
    items = dict.fromkeys(item for found in texts.values() for item in found)
    pairs = []
    identical = 0
    for item in items:
        for number, sides in enumerate(combinations(texts, 2), 1):
            if all(item in texts[name] for name in sides):
                first, second = sides if dice.random() < 0.5 else sides[::-1]
                one, other = cut_alike(texts[first][item], texts[second][item], limit)
                if one == other:
                    identical += 1
                    continue
                key = f"{item}/{number}"
                pair = Pair(key=key, item=item, first=first, second=second, first_text=one, second_text=other)
                pairs.append(pair)
    dice.shuffle(pairs)
    return tuple(pairs[:most] if most else pairs), identical


def _made_with(layouts: Sequence[Layout], what: str) -> tuple[str, ...]:
    """Return the models that wrote what is compared, as far as traces or interviews say so."""
    if what == INTERVIEW:
        from gm.files.interviews import read_interviews

        return tuple(sorted({one.made_with for layout in layouts for one in read_interviews(layout)[0]} - {""}))
    traces = [TraceReader(layout.traces) for layout in layouts]
    kept = (item.record for reader in traces for day in reader.days() for item in reader.of_day(day))
    return tuple(sorted({str(record.get("asked") or record.get("backend") or "") for record in kept} - {""}))
