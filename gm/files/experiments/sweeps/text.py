"""Parse the YAML file of a sweep into a ``Sweep``; every mistake is reported at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from gm.base.config import PROMPT_SETS, SettingProblem, kinds, parse_settings
from gm.base.errors import Problem, say_unexpected
from gm.base.texts import clip, quoted, suggest
from gm.base.untyped import as_list
from gm.files.experiments.sweeps.folder import CONDITION, Brief, Condition, Sweep, SweepRun, name_run, nest_value
from gm.files.formats.places import Keys
from gm.files.packaged.shipped import shipped_worlds
from gm.files.reading import PlacedReader
from gm.model.record import Key, Record, optional_key

BASES = ("world", "template")
PROMPTS, BRIEFS, NONE = "prompts", "briefs", "none"
MOST_DAYS, MOST_RUNS = 10_000, 10_000
EXAMPLE = "world: DIR, days: 10, matrix: {seed: [1, 2], weights.promise: [0, 3]}"
CANARIES_EXAMPLE = "canaries: [WORD=agent], and measures: [leaks]"
SPAN_HINT = "write a list: [1, 2]; or, for whole numbers, 1..16"
CONDITIONS_EXAMPLE = "conditions: {full: {}, no-plans: {plans.enabled: false}}"
_CONDITION = re.compile(r"[A-Za-z0-9][\w.+-]{0,39}")
_SPAN = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
SWEEP = Record(
    dict[str, Any],
    "a sweep",
    optional_key("world", kinds.words, "a path from this file's folder", code="sweep-base"),
    optional_key("template", kinds.words, "a world that comes with gm", code="sweep-base"),
    Key("days", kinds.whole(1, MOST_DAYS), "story days of each run"),
    optional_key("briefs", replace(kinds.mapping, expected="{name: {day: text}}")),
    optional_key("all", replace(kinds.mapping, expected="{key: value}"), code="sweep-values"),
    optional_key(
        "conditions",
        kinds.Kind("{name: {key: value}}", lambda value: isinstance(value, dict) and value, kinds.mapping.schema),
        CONDITIONS_EXAMPLE,
    ),
    optional_key("seeds", kinds.Kind("a list of values", lambda value: isinstance(value, list | str), {}), SPAN_HINT),
    optional_key("matrix", replace(kinds.mapping, expected="{key: [value, …]}")),
    optional_key(
        "runs",
        kinds.Kind("a list", lambda value: isinstance(value, list), {"type": "array"}),
        "runs: [{seed: 1}, {seed: 2}]",
    ),
    optional_key("measures", kinds.texts, "measures: [promises, plans]"),
    optional_key("canaries", kinds.texts, CANARIES_EXAMPLE),
    code="sweep-{key}",
    closed=True,
)
"""The file of a sweep."""


def parse_sweep(
    text: str,
    shown: str,
    folder: Path,
    *,
    measures: Collection[str] = (),
    instead: Mapping[str, Any] | None = None,
) -> tuple[Sweep | None, list[Problem]]:
    """Parse the file of a sweep; relative paths in it start from ``folder``.

    Args:
        measures: The names that ``measures`` may list.
        instead: Top keys that take the place of the file's own; a base takes the place of either kind.
    """
    reader = _SweepReader(text, shown, folder, measures, instead or {})
    return reader.parse(reader.sweep)


class _SweepReader(PlacedReader):
    def __init__(
        self, text: str, shown: str, folder: Path, measures: Collection[str], instead: Mapping[str, Any]
    ) -> None:
        super().__init__(text, shown)
        self._known_measures = measures
        self._instead = instead
        self._folder = folder
        self._briefs: dict[str, tuple[Brief, ...]] = {}

    def sweep(self, data: object) -> Sweep | None:
        if not isinstance(data, dict):
            self.say((), "sweep-form", f"found {quoted(data)}, expected a mapping", EXAMPLE)
            return None
        self.say_twice()
        if self._instead.keys() & BASES:
            data = {key: value for key, value in data.items() if key not in BASES}
        data = {**data, **self._instead}
        values = self.read_fitting(SWEEP, data)
        world, template = self._read_base(data, values)
        self._briefs = self._brief_sets(values.get("briefs", {}))
        shared = self._read_values(values.get("all"), ("all",))
        conditions = self._read_conditions(values.get("conditions", {}))
        found = [*self._read_matrix(*self._with_seeds(values)), *self._read_listed(values.get("runs", []))]
        if not found and not conditions and not self.problems:
            self.say((), "sweep-empty", "nothing is varied: matrix and runs are missing", EXAMPLE)
        self._refuse_both(conditions, found)
        runs = self._runs(found, shared, conditions)
        varied = tuple(dict.fromkeys(key for run in runs for key in run.own))
        measures = self._read_measures(values.get("measures", []))
        canaries = self._read_canaries(values.get("canaries", ()), measures)
        return Sweep(world, template, values.get("days", 1), varied, runs, conditions, measures, canaries)

    def _read_conditions(self, data: Mapping[Any, Any]) -> tuple[Condition, ...]:
        """Read ``{name: {key: value}}``; nothing behind a name = the base as it is."""
        found: list[Condition] = []
        for name, values in data.items():
            place = ("conditions", str(name))
            if not isinstance(name, str) or not _CONDITION.fullmatch(name):
                hint = "a name begins with a letter or digit and goes on with these, - _ . or +, at most 40"
                self.say(place, "sweep-conditions", f"a condition cannot be called {quoted(name)}", hint, key=True)
            elif name.casefold() in {one.name.casefold() for one in found}:
                self.say(place, "sweep-conditions", f"the condition {name} occurs twice", "rename one", key=True)
            else:
                found.append(Condition(name, self._read_values(values, place)))
        return tuple(found)

    def _with_seeds(self, values: Mapping[str, Any]) -> tuple[Mapping[Any, Any], str]:
        """Return the matrix with ``seeds``, its first axis, and the key under which mistakes in that stand."""
        matrix, seeds = values.get("matrix", {}), values.get("seeds")
        if seeds is None:
            return matrix, ""
        if "seed" in matrix:
            self.say(("seeds",), "sweep-seeds", "the seed is varied by matrix too", "delete one of the two", key=True)
            return matrix, ""
        return {"seed": seeds, **matrix}, "seeds"

    def _refuse_both(self, conditions: Sequence[Condition], found: Iterable[tuple[dict[str, Any], Keys]]) -> None:
        for key in dict.fromkeys(key for own, _ in found for key in own):
            for one in conditions:
                if key in one.values:
                    message = f"{clip(key)} is set by the condition {one.name}, and varied for all of them"
                    place = ("conditions", one.name, key)
                    self.say(place, "sweep-conditions", message, "leave it to one of the two", key=True)

    def _read_measures(self, names: Sequence[str]) -> tuple[str, ...]:
        for at, name in enumerate(names):
            if name not in self._known_measures:
                hint = suggest(name, self._known_measures)
                self.say(("measures", at), "sweep-measures", f"there is no measure {quoted(name)}", hint)
        return tuple(dict.fromkeys(names))

    def _read_canaries(self, found: Sequence[str], measures: Sequence[str]) -> tuple[str, ...]:
        if found and "leaks" not in measures:
            message = f"canaries is {quoted(found)}, expected texts for the measure leaks"
            self.say(("canaries",), "sweep-canaries", message, CANARIES_EXAMPLE)
        return tuple(found)

    def _read_base(self, data: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[Path | None, str]:
        named = [key for key in BASES if data.get(key) is not None]
        if len(named) != 1:
            found = "both world and template are" if named else "neither world nor template is"
            self.say(tuple(named[:1]), "sweep-base", f"{found} named", "name one: world: DIR, or template: dinner")
            return None, ""
        world, template = (values.get(key, "") for key in BASES)
        if world and not (self._folder / world).is_dir():
            hint = "a path from this file's folder"
            self.say(("world",), "sweep-base", f"there is no folder {clip(world)!r}", hint)
        if template and template not in shipped_worlds():
            hint = suggest(template, shipped_worlds())
            self.say(("template",), "sweep-base", f"there is no template {clip(template)!r}", hint)
        return (self._folder / world if world else None), template

    def _brief_sets(self, data: Mapping[Any, Any]) -> dict[str, tuple[Brief, ...]]:
        """Read ``{name: {story day: text, or a list of texts}}``."""
        found: dict[str, tuple[Brief, ...]] = {}
        for name, days in data.items():
            place = ("briefs", str(name))
            if name == NONE or not isinstance(name, str):
                self.say(place, "sweep-briefs", f"a set of briefs cannot be called {clip(str(name))!r}", key=True)
            elif not isinstance(days, dict):
                self.say(place, "sweep-briefs", f"{clip(str(name))} is {quoted(days)}, expected {{day: text}}")
            else:
                found[name] = tuple(sorted(self._days_of(days, place), key=lambda brief: brief[0]))
        return found

    def _days_of(self, days: Mapping[Any, Any], place: Keys) -> Iterator[Brief]:
        for day, texts in days.items():
            here = (*place, str(day))
            if type(day) is not int or day < 1:
                self.say(
                    here, "sweep-briefs", f"{quoted(day)} is not a story day, expected a whole number from 1", key=True
                )
                continue
            items = as_list(texts)
            for item in items:
                if isinstance(item, str) and item.strip():
                    yield day, item.strip()
                else:
                    self.say(here, "sweep-briefs", f"the brief is {quoted(item)}, expected a text")
            if len(set(map(str, items))) < len(items):
                self.say(here, "sweep-briefs", "the same brief is given twice", "delete one of the two")

    def _read_matrix(self, data: Mapping[Any, Any], seeds: str = "") -> list[tuple[dict[str, Any], Keys]]:
        axes: dict[str, list[Any]] = {}
        for key, values in data.items():
            place: Keys = (seeds,) if seeds and key == "seed" else ("matrix", str(key))
            span = _SPAN.fullmatch(values.strip()) if isinstance(values, str) else None
            found = f"{clip(str(place[-1]))} is {quoted(values)}"
            if span and int(span[1]) > int(span[2]):
                self.say(place, "sweep-matrix", f"{found}, which runs backwards", f"write {span[2]}..{span[1]}")
                continue
            if span and int(span[2]) - int(span[1]) >= MOST_RUNS:
                self.say(place, "sweep-matrix", f"{found}, at most {MOST_RUNS:,} runs are played")
                continue
            if span:
                values = list(range(int(span[1]), int(span[2]) + 1))
            if not isinstance(values, list) or not values:
                self.say(place, "sweep-matrix", f"{found}, expected a list of values", SPAN_HINT)
                continue
            good = [self._check_value(str(key), value, (*place, at)) for at, value in enumerate(values)]
            if all(good):
                axes[str(key)] = values
        count = 1
        for values in axes.values():
            count *= len(values)
        if count > MOST_RUNS:
            self.say(("matrix",), "sweep-matrix", f"{count:,} runs, at most {MOST_RUNS:,} are played", key=True)
            return []
        return [(dict(zip(axes, item, strict=True)), ("matrix",)) for item in product(*axes.values())] if axes else []

    def _read_listed(self, listed: Sequence[object]) -> list[tuple[dict[str, Any], Keys]]:
        found: list[tuple[dict[str, Any], Keys]] = []
        for at, item in enumerate(listed):
            if not isinstance(item, dict) or not item:
                self.say(("runs", at), "sweep-runs", f"found {quoted(item)}, expected {{key: value}}")
            else:
                found.append((self._read_values(item, ("runs", at)), ("runs", at)))
        return found

    def _read_values(self, data: object, place: Keys) -> dict[str, Any]:
        if data is not None and not isinstance(data, dict):
            self.say(place, "sweep-values", say_unexpected(place[-1], quoted(data), "{key: value}"))
        values = data if isinstance(data, dict) else {}
        good = (key for key, value in values.items() if self._check_value(str(key), value, (*place, str(key))))
        return {str(key): values[key] for key in good}

    def _check_value(self, key: str, value: object, place: Keys) -> bool:
        if key == BRIEFS:
            good = value is None or (isinstance(value, str) and (value in self._briefs or value == NONE))
            if not good:
                hint = suggest(str(value), [*self._briefs, NONE])
                self.say(place, "sweep-briefs", f"no set of briefs is called {quoted(value)}", hint)
            return good
        if key == PROMPTS and not self._is_setting(value):
            good = value is None or (isinstance(value, str) and (value == NONE or (self._folder / value).is_dir()))
            if not good:
                self.say(
                    place, "sweep-prompts", f"there is no folder {quoted(value)}", "a path from this file's folder"
                )
            return good
        _, wrong = parse_settings(nest_value(key, value))
        for item in wrong:
            self._say_setting(item, key, place)
        return not wrong

    def _is_setting(self, prompts: object) -> bool:
        return prompts in PROMPT_SETS and not (self._folder / prompts).is_dir()

    def _say_setting(self, item: SettingProblem, key: str, place: Keys) -> None:
        hint = item.hint
        if item.code == "setting-unknown" and len(item.keys) == 1 and "did you mean" not in hint:
            hint = suggest(key, (PROMPTS, BRIEFS)) if difflib.get_close_matches(key, (PROMPTS, BRIEFS)) else hint
        head = key.partition(".")[0]
        if item.code == "setting-unknown" and (
            head == "personas" or (head == "persona" and "did you mean" not in hint)
        ):
            hint = "a persona is a file, not a setting: make two worlds that differ in it, and sweep each (see docs)"
        at_key = item.code == "setting-unknown"
        if at_key and place[0] == "matrix":
            place = place[:2]  # report the axis, not each of its values
        self.say(place, item.code, item.message, hint, key=at_key)

    def _runs(
        self,
        found: Sequence[tuple[dict[str, Any], Keys]],
        shared: Mapping[str, Any],
        conditions: Sequence[Condition],
    ) -> tuple[SweepRun, ...]:
        runs: dict[str, SweepRun] = {}
        taken: set[str] = set()
        if len(found) * len(conditions) > MOST_RUNS:
            count = len(found) * len(conditions)
            self.say(("conditions",), "sweep-matrix", f"{count:,} runs, at most {MOST_RUNS:,} are played", key=True)
            return ()
        every: list[tuple[dict[str, Any], Mapping[str, Any]]]
        every = [({CONDITION: one.name}, {**shared, **one.values}) for one in conditions] or [({}, shared)]
        alone: Sequence[tuple[dict[str, Any], Keys]] = [({}, ("conditions",))] if conditions else []
        for (named, common), (varied, place) in product(every, found or alone):
            own, values = {**named, **varied}, {**common, **varied}
            name = name_run(own)
            if name.casefold() in taken:  # some file systems are case-insensitive
                self.say(
                    place, "sweep-twice", f"the run {clip(str(name))} occurs twice", "vary the seed to repeat a run"
                )
            taken.add(name.casefold())
            prompts = None if self._is_setting(values.get(PROMPTS)) else values.pop(PROMPTS, None)
            briefs = values.pop(BRIEFS, None)
            folder = None if prompts in (None, NONE) else self._folder / str(prompts)
            runs[name] = SweepRun(name, own, values, folder, self._briefs.get(str(briefs), ()))
        return tuple(runs.values())
