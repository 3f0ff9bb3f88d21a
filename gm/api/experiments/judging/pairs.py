"""Make the pairs of a blind comparison from worlds."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count
from os import PathLike
from os.path import relpath
from pathlib import Path

from gm.api.answers.speech import load_words
from gm.api.experiments.judging.texts import MOST_WORDS, collect_texts, cut_alike, newest_answers
from gm.base.errors import CORRECT_HINT, GmError, UsageError, refuse_errors
from gm.base.languages import choose_code
from gm.base.texts import counted
from gm.files.experiments import judging
from gm.files.formats.text import is_there
from gm.files.layout import Layout, find_world, is_world
from gm.files.packaged.shipped import shipped_blank
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_settings
from gm.model.interview import InterviewAnswer
from gm.model.verdict import DAY, INTERVIEW, Compared, Pair, PairComparison

DIFFER = {"what": "--what", "worlds": "--worlds", "most": "--pairs", "seed": "--seed", "question": "--question"}


@dataclass(frozen=True, slots=True)
class PairsMade:
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


@dataclass(frozen=True, slots=True)
class _World:
    name: str
    layout: Layout
    without: tuple[str, ...]


def make_pairs(
    folder: str | PathLike[str],
    worlds: Sequence[str],
    what: Compared = DAY,
    most: int = 0,
    seed: int = 0,
    question: str = "",
) -> PairsMade:
    """Make pairs of what two or more worlds have both; in a folder that has them already, find them again.

    Args:
        worlds: ``NAME=WORLD`` each: a condition, and the folder of the world that was played under it. Of interviews,
            ``NAME=WORLD#reflections,plans`` takes those in which just this was kept from the character. A condition
            may have several worlds, such as runs with other seeds: the first of one is compared with the first of the
            others, the second with the second, and so on.
        what: ``day``, ``scene`` (by its number in the day) or ``interview`` (by character and key of the question,
            the newest answers, which must be of one moment).
        most: Pairs at most, drawn by the seed; 0 = all.
        seed: Also draws the order of the pairs in the folder, and which text of each is first.
        question: What judges are asked about a pair; empty = the usual one, in the language of the worlds.

    Raises:
        UsageError: The conditions are no such, the folder holds pairs made with other arguments, or answers are of
            different moments.
        BrokenWorldError: Files that are needed cannot be read.
        GmError: There is nothing that two of the worlds have both.
    """
    found = [_find_condition_world(name, path, what) for name, path in _parse_conditions(worlds)]
    runs, folder = _group_by_run(found), Path(folder)
    if is_world(folder):
        raise UsageError(f"{folder} is a world", "name a folder that does not exist yet: the pairs go there")
    language = _find_common_language(found)
    shown = tuple(
        "#".join(filter(None, (f"{one.name}={relpath(one.layout.root, folder)}", ",".join(one.without))))
        for one in found
    )
    asked = question.strip() or load_words(language, "gm.api.experiments.judging")("question")
    wanted = PairComparison(what=what, worlds=shown, most=most, seed=seed, language=language, question=asked)
    is_begun = is_there(judging.comparison_file(folder))
    if is_begun:
        there = judging.read_comparison(folder)
        _refuse_other(folder, there, wanted, asks=bool(question.strip()))
        wanted = replace(wanted, identical=there.identical)
    if is_there(judging.pairs_file(folder)):
        return _count_pairs(folder, wanted, _read_earlier_pairs(folder, is_begun=is_begun), new=False)
    pairs, identical = _draw_pairs(_texts_of_runs(runs, what), MOST_WORDS[what], most, random.Random(seed))
    _refuse_none(pairs, identical, what)
    wanted = replace(wanted, made_with=_list_models([one.layout for one in found], what), identical=identical)
    if not is_begun:
        judging.write_comparison(folder, wanted)
    judging.write_pairs(folder, pairs)
    return _count_pairs(folder, wanted, pairs, new=True)


def _find_common_language(worlds: Sequence[_World]) -> str:
    spoken = [(world.name, _read_language(world.layout)) for world in worlds]
    if len({language for _, language in spoken}) > 1:
        listed = ", ".join(f"{name}: {language}" for name, language in spoken)
        raise UsageError(f"the worlds speak different languages ({listed})", "compare worlds of one language")
    return spoken[0][1]


def _read_earlier_pairs(folder: Path, *, is_begun: bool) -> Sequence[Pair]:
    if not is_begun:
        raise UsageError(
            f"{judging.pairs_file(folder)} already exists", "name another folder: pairs are not overwritten"
        )
    pairs, problems = judging.read_pairs(folder)
    refuse_errors(problems, "the pairs cannot be read", "correct these lines, or make the pairs in another folder")
    return pairs


def _texts_of_runs(runs: Sequence[Mapping[str, _World]], what: str) -> list[dict[str, dict[str, str]]]:
    texts = [{name: collect_texts(one.layout, what, one.without) for name, one in run.items()} for run in runs]
    _refuse_named(texts)
    if what == INTERVIEW:
        for run, told_in in zip(runs, texts, strict=True):
            _refuse_apart(told_in, {name: newest_answers(one.layout, one.without) for name, one in run.items()})
    return texts


def _refuse_none(pairs: Sequence[Pair], identical: int, what: str) -> None:
    if not pairs and identical:
        raise GmError(
            f"all pairs have identical texts ({identical})", "there is nothing to judge: were the same settings played?"
        )
    if not pairs:
        raise GmError(f"no {what} of two of these worlds to compare", "play them first; a day counts when it is over")


def conditions_of(comparison: PairComparison) -> tuple[str, ...]:
    """Return the names of the conditions, each once."""
    return tuple(dict.fromkeys(item.partition("=")[0] for item in comparison.worlds))


def world_of(folder: Path, comparison: PairComparison) -> Layout:
    """Return the first world of a comparison; it may be gone."""
    path, _ = _split_condition(next(iter(comparison.worlds), "").partition("=")[2], comparison.what)
    return Layout((folder / path).resolve())


def _split_condition(path: str, what: str) -> tuple[str, tuple[str, ...]]:
    path, _, without = path.rpartition("#") if what == INTERVIEW and "#" in path else (path, "", "")
    return path, tuple(sorted(filter(None, map(str.strip, without.split(",")))))


def _count_pairs(folder: Path, comparison: PairComparison, pairs: Sequence[Pair], *, new: bool) -> PairsMade:
    items = len({pair.item for pair in pairs})
    return PairsMade(
        str(folder), comparison.what, conditions_of(comparison), items, len(pairs), new, comparison.identical
    )


def _find_condition_world(name: str, path: str, what: str) -> _World:
    path, without = _split_condition(path, what)
    return _World(name, find_world(Path(path), named=True), without)


def _group_by_run(worlds: Sequence[_World]) -> list[dict[str, _World]]:
    """Return the first worlds of all conditions, the second ones, and so on."""
    by_name: dict[str, list[_World]] = {}
    for world in worlds:
        of_name = by_name.setdefault(world.name, [])
        if world in of_name:
            raise UsageError(f"{world.name} has the same world twice: {world.layout.root}", "name each world once")
        of_name.append(world)
    counts = {name: len(found) for name, found in by_name.items()}
    if len({*counts.values()}) > 1:
        listed = ", ".join(f"{name}: {count}" for name, count in counts.items())
        raise UsageError(
            f"the conditions have different numbers of worlds ({listed})",
            "give each as many: the first of one is compared with the first of the others, and so on",
        )
    return [dict(zip(by_name, together, strict=True)) for together in zip(*by_name.values(), strict=True)]


def _parse_conditions(worlds: Sequence[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for text in worlds:
        name, _, path = (part.strip() for part in text.partition("="))
        if not name or not path or not name.isprintable():
            raise UsageError(f"{text!r} is not a condition", "write NAME=WORLD, as in a1=../studio")
        found.append((name, path))
    if len({name for name, _ in found}) < 2:
        raise UsageError(
            "two or more worlds of different names are compared",
            "write --worlds NAME=WORLD NAME=WORLD, as a1=../studio b1=../studio-without",
        )
    return found


def _read_language(layout: Layout) -> str:
    settings, problems = load_settings(layout)
    refuse_errors(problems, f"{layout.settings} cannot be read", CORRECT_HINT)
    return choose_code(shipped_blank(), settings.language, "")


def _refuse_other(folder: Path, there: PairComparison, wanted: PairComparison, *, asks: bool) -> None:
    keys = [key for key in DIFFER if asks or key != "question"]
    others = [key for key in keys if getattr(there, key) != getattr(wanted, key)]
    if others:
        differences = "; ".join(f"{DIFFER[key]} was {_render_setting(getattr(there, key))}" for key in others)
        raise UsageError(f"{folder} holds pairs that were made otherwise ({differences})", "take another folder")


def _render_setting(value: object) -> str:
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _refuse_named(texts: Sequence[Mapping[str, Mapping[str, str]]]) -> None:
    found = [f"{name!r} ({place})" for name in texts[0] if (place := _first_place(name, texts))]
    if found:
        raise UsageError(
            f"judges would see {counted(len(found), 'name')} of a condition as a word of what is compared: "
            f"{', '.join(found)}",
            f"neutral codes work, since no text holds them: {' '.join(f'{code}=…' for code in _codes(texts))}",
        )


def _codes(texts: Sequence[Mapping[str, Mapping[str, str]]]) -> tuple[str, ...]:
    """Return a code that occurs in no text for each condition: a1, b1, …"""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return tuple(
        next(code for number in count(1) if not _first_place(code := f"{letter}{number}", texts))
        for letter, _ in zip(letters, texts[0], strict=False)
    )


def _first_place(name: str, texts: Sequence[Mapping[str, Mapping[str, str]]]) -> str:
    """Return where a name occurs first as a word; empty if nowhere."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    found = ((world, item, text) for run in texts for world, items in run.items() for item, text in items.items())
    return next((f"{world}, {item}" for world, item, text in found if word.search(text)), "")


def _refuse_apart(texts: Mapping[str, Mapping[str, str]], answers: Mapping[str, Mapping[str, InterviewAnswer]]) -> None:
    for item in dict.fromkeys(item for found in texts.values() for item in found):
        moments = {name: answers[name][item].at for name, found in texts.items() if item in found}
        if len({*moments.values()}) > 1:
            listed = ", ".join(f"{name}: {at}" for name, at in moments.items())
            raise UsageError(
                f"the newest answers to {item} are of different moments ({listed})",
                "ask all worlds as after one moment: gm interview --at MOMENT",
            )


def _draw_pairs(
    texts: Sequence[Mapping[str, Mapping[str, str]]], limit: int, most: int, dice: random.Random
) -> tuple[tuple[Pair, ...], int]:
    """Return the pairs, and how many were left out because their texts are the same."""
    pairs = []
    identical = 0
    for at, run in enumerate(texts, 1):
        before = f"run-{at}/" if len(texts) > 1 else ""
        for item in dict.fromkeys(item for found in run.values() for item in found):
            for number, sides in enumerate(combinations(run, 2), 1):
                if any(item not in run[name] for name in sides):
                    continue
                first, second = sides if dice.random() < 0.5 else sides[::-1]
                one, other = cut_alike(run[first][item], run[second][item], limit)
                if one == other:
                    identical += 1
                    continue
                place = f"{before}{item}"
                pairs.append(
                    Pair(
                        key=f"{place}/{number}",
                        item=place,
                        first=first,
                        second=second,
                        first_text=one,
                        second_text=other,
                    )
                )
    dice.shuffle(pairs)
    return tuple(pairs[:most] if most else pairs), identical


def _list_models(layouts: Sequence[Layout], what: str) -> tuple[str, ...]:
    """Return the models that wrote what is compared, as far as traces or interviews say so."""
    if what == INTERVIEW:
        from gm.files.experiments.interviews import read_interviews

        return tuple(sorted({one.made_with for layout in layouts for one in read_interviews(layout)[0]} - {""}))
    traces = [TraceReader(layout.traces) for layout in layouts]
    kept = (item.record for reader in traces for day in reader.days() for item in reader.of_day(day))
    return tuple(sorted({str(record.get("asked") or record.get("backend") or "") for record in kept} - {""}))
