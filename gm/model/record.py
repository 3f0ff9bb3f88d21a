"""Declarations of records, the objects in the files of a world.

A declaration reads a record, reports its problems, writes it, and describes it as JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from gm.base.config import kinds
from gm.base.errors import say, say_unexpected
from gm.base.texts import quoted, suggest, suggest_close

T = TypeVar("T")
Place = tuple[str | int, ...]
_Step = tuple[str, str, Callable[[object], object], Callable[[object], object] | None, object, bool]
_ABSENT, REQUIRED, SKIP = object(), object(), object()


class RecordError(ValueError):
    """A value that cannot be read as its record declares it.

    Attributes:
        keys: Its place: a key, then an index for an item of a list; empty = the record itself.
        message: Begins with the key.
        missing: Whether the last of the keys is absent.
        unknown: Whether the last of the keys is the mistake, and not its value.
    """

    def __init__(
        self, keys: Place, code: str, message: str, hint: str = "", *, missing: bool = False, unknown: bool = False
    ) -> None:
        super().__init__(message)
        self.keys = keys
        self.code = code
        self.message = message
        self.hint = hint
        self.missing = missing
        self.unknown = unknown

    @property
    def key(self) -> str:
        return str(self.keys[0]) if self.keys else ""

    @property
    def place(self) -> Place:
        """Keys of the value, or of the object without it."""
        return self.keys[:-1] if self.missing else self.keys

    def inside(self, key: str | int) -> RecordError:
        return RecordError(
            (key, *self.keys), self.code, self.message, self.hint, missing=self.missing, unknown=self.unknown
        )


class Merge(Enum):
    """What becomes of a key's value when two branches of a world are merged."""

    ANY = "of two lists or objects both changes, of other values ours"
    SUM = "both changes, added"
    MOST = "the greater number"
    LATER = "that of the later day"
    BOTH = "that of the later day; of one day, true if both are"
    UNION = "that of the later day; of one day, the items of both"
    THEIRS = "theirs, if both changed it"
    PLAN = "ours or that of the later day, with the marks of both where they are the same plan"
    COUNTED = "computed from other files"


class Key(NamedTuple):
    """One key of a record.

    Attributes:
        sentence: Shown as a hint where a value is wrong, and in the schema.
        default: Value when it is absent; ``REQUIRED`` = must be present, ``SKIP`` = no value is passed.
        field: The attribute that holds it, if named differently.
        code: Problem code for a value of the right type that does not fit, if not the record's.
        only: Variants of the record that have the key; empty = all.
        brief: Whether it is left out of the file while it has its default.
        merge: How ``api.history.merge`` merges it, in the files that it merges by key.
    """

    name: str
    kind: kinds.Kind
    sentence: str
    default: object = REQUIRED
    field: str = ""
    code: str = ""
    null: bool = False
    only: tuple[str, ...] = ()
    brief: bool = False
    example: object = None
    merge: Merge = Merge.ANY

    def is_left_out(self, value: object) -> bool:
        """Return whether a value is left out of the file: the default, or an empty one where there is none."""
        return self.brief and (not value if self.default is SKIP else value == self.default)

    def written(self, value: object) -> object:
        """Return what is written of a value."""
        write = self.kind.write
        return write(value) if write else list(value) if isinstance(value, tuple) else value


def text_key(name: str, sentence: str, example: object = None, merge: Merge = Merge.ANY) -> Key:
    """Return a key of a text that may be absent or null."""
    return Key(name, kinds.text, sentence, default="", null=True, example=example, merge=merge)


def optional_key(name: str, kind: kinds.Kind, sentence: str = "", example: object = None, code: str = "") -> Key:
    """Return a key that may be absent or null, and has no value then."""
    return Key(name, kind, sentence, default=SKIP, null=True, code=code, example=example)


class Record(Generic[T]):
    """The declaration of a record.

    Args:
        make: Makes the value, from arguments named as the keys' fields.
        what: The record in words, for messages and the schema: ``a piece``.
        keys: In file order.
        code: Problem code; ``{key}`` stands for the key.
        missing: Problem code for an absent key, if different.
        missing_hint: Hint for an absent key, in place of the key's sentence.
        hint: In addition to the key's sentence.
        variant: The key that decides which others belong to the record.
        closed: Whether an undeclared key is a problem.
        unknown: Problem code for an undeclared key, if different.
        own: Prefix of keys that a closed record allows without a declaration.
        others: Kind of the values of undeclared keys.
        noted: Whether ``gm check`` mentions undeclared keys.
        said: Other words for keys, which ``gm check`` corrects.
    """

    def __init__(
        self,
        make: Callable[..., T],
        what: str,
        *keys: Key,
        code: str = "{key}-type",
        missing: str = "",
        missing_hint: str = "",
        hint: str = "",
        variant: str = "",
        closed: bool = False,
        unknown: str = "",
        own: str = "",
        others: kinds.Kind | None = None,
        noted: bool = False,
        said: Mapping[str, str] | None = None,
    ) -> None:
        self.what = what
        self.keys = keys
        self._code = code
        self.name = code.partition("-")[0]
        self.noted = noted
        self.said = said or {}
        self._make = make
        self._missing = missing or code
        self._missing_hint = missing_hint
        self._hint = hint
        self._variant = variant
        self._closed = closed
        self._unknown = unknown or code.format(key="key")
        self._own = own
        self._others = others
        self._common = self._plan("")
        self._plans = {name: self._plan(name) for key in keys for name in key.only}

    def _plan(self, variant: str) -> tuple[_Step, ...]:
        return tuple(
            (key.name, key.field or key.name, key.kind.fits, key.kind.keep, key.default, key.null)
            for key in self.keys
            if not key.only or variant in key.only
        )

    def read(self, record: object) -> T:
        """Read a record. Unknown keys are ignored.

        Raises:
            RecordError: A required key is absent, or a value does not fit.
        """
        if not isinstance(record, dict):
            raise self._no_object(record)
        values: dict[str, object] = {}
        variant = record.get(self._variant)
        plan = self._plans.get(variant, self._common) if isinstance(variant, str) else self._common
        for name, field, fits, keep, default, null in plan:
            value = record.get(name, _ABSENT)
            if value is _ABSENT or (null and value is None):
                if default is REQUIRED:
                    raise next(self.problems(record))
                if default is not SKIP:
                    values[field] = default
            elif not fits(value):
                raise next(self.problems(record))
            else:
                values[field] = value if keep is None else keep(value)
        return self._make(**values)

    def fits(self, record: object) -> bool:
        return not any(self.problems(record))

    def read_all(self, record: Mapping[str, object]) -> tuple[T, list[RecordError]]:
        """Read a record without required keys; values that do not fit become defaults and are reported."""
        problems = list(self.problems(record))
        wrong = {error.key for error in problems}
        return self.read({key: value for key, value in record.items() if key not in wrong}), problems

    def read_fitting(self, record: Mapping[str, object]) -> T:
        """Read a record without required keys; values that do not fit count as absent, or keep their readable part."""
        kinds_by_name = {key.name: key.kind for key in self.keys}
        return self.read(
            {name: value for name, value in record.items() if name in kinds_by_name and kinds_by_name[name].fits(value)}
        )

    def write(self, value: T) -> dict[str, object]:
        """Return the object of a value, with keys in file order."""
        own = [key for key in self.keys if not key.only or getattr(value, self._variant) in key.only]
        return self.compose({key.name: getattr(value, key.field or key.name) for key in own})

    def compose(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return the object of some values: declared keys in file order, without empty brief ones, then the others."""
        own = {key.name: key for key in self.keys if key.name in values}
        found = {name: key.written(values[name]) for name, key in own.items() if not key.is_left_out(values[name])}
        return found | {name: value for name, value in values.items() if name not in own}

    def render(self, value: T) -> str:
        """Return the line of a value, without the line end."""
        return json.dumps(self.write(value), ensure_ascii=False)

    def schema(self, *, written: bool = False) -> dict[str, object]:
        """Return the JSON Schema; unless closed, it allows undeclared keys.

        Args:
            written: Whether it is that of what gm writes: with all keys but brief ones, and no others.
        """
        own: dict[str, object] = {
            "title": self.what,
            "type": "object",
            "properties": {key.name: _describe_key(key) for key in self.keys},
            "required": [
                key.name
                for key in self.keys
                if (not key.brief if written else key.default is REQUIRED and not key.only)
            ],
        }
        if self._closed or written:
            own["additionalProperties"] = False
            if self._own:
                own["patternProperties"] = {f"^{self._own}": {}}
        elif self._others:
            own["additionalProperties"] = {"anyOf": [self._others.schema, {"type": "null"}]}
        needed: dict[str, list[str]] = {}
        for key in self.keys:
            for variant in key.only if key.default is REQUIRED else ():
                needed.setdefault(variant, []).append(key.name)
        conditions: list[dict[str, object]] = [
            {"if": {"properties": {self._variant: {"const": variant}}}, "then": {"required": names}}
            for variant, names in needed.items()
        ]
        conditions += [
            {"if": {"properties": {self._variant: {"enum": list(key.only)}}}, "else": {"properties": {key.name: False}}}
            for key in self.keys
            if key.only and self._closed
        ]
        return own | ({"allOf": conditions} if conditions else {})

    def problems(self, record: object) -> Iterator[RecordError]:
        """Yield all problems: absent keys, values that do not fit, undeclared keys if closed."""
        if not isinstance(record, dict):
            yield self._no_object(record)
            return
        variant = record.get(self._variant)
        keys = [key for key in self.keys if not key.only or variant in key.only]
        for key in keys:
            if key.default is REQUIRED and key.name not in record:
                message = say("{key} is missing, expected {part}", key.name, key.kind.expected)
                code = self._missing.format(key=key.name)
                yield RecordError((key.name,), code, message, self._missing_hint or self._hint_for(key), missing=True)
        for key in keys:
            value = record.get(key.name, _ABSENT)
            if value is _ABSENT or (key.null and value is None):
                continue
            if not key.kind.fits(value):
                yield self._unfit(key, value)
            elif key.kind.inner is not None:
                for error in key.kind.inner(value):
                    yield error.inside(key.name)
        known = [key.name for key in keys]
        for name, value in record.items() if self._others else ():
            if name not in known and value is not None and self._others and not self._others.fits(value):
                yield self._unfit(Key(str(name), self._others, ""), value)
        for name in record if self._closed else ():
            if name not in known and not (self._own and str(name).startswith(self._own)):
                hint = suggest(str(name), known)
                if self._own:
                    hint = say("{part}; a key of your own begins with {sign}", hint, self._own)
                message = say("{key} is not a key of {whole}", quoted(name), self.what)
                yield RecordError((str(name),), self._unknown, message, hint, unknown=True)

    def error(self, key: str, message: str) -> RecordError:
        """Return the error for a value that fits by itself, but contradicts another place."""
        sentence = next((self._hint_for(one) for one in self.keys if one.name == key), "")
        return RecordError((key,), self._code.format(key=key), message, sentence)

    def _unfit(self, key: Key, value: object) -> RecordError:
        kind = key.kind
        typed = kind.base is None or kind.base.fits(value)
        code = key.code if key.code and typed else self._code.format(key=key.name)
        keys: Place = (key.name,)
        message = say_unexpected(key.name, quoted(value), kind.expected)
        many = dict if kind.schema.get("type") == "object" else list
        if kind.item is not None and isinstance(value, many):
            pairs = enumerate(value) if isinstance(value, list) else ((pair[0], pair) for pair in value.items())
            for at, item in pairs:
                if not kind.item.fits(item):
                    keys = (key.name, at)
                    message = say("{key} holds {value}, expected {part}", key.name, quoted(item), kind.expected)
                    break
        elif kind.base is not None and typed and "maximum" in kind.schema:
            low, high = kind.schema["minimum"], kind.schema["maximum"]
            message = say("{key} {value} is outside {low}–{high}", key.name, quoted(value), low, high)
        choices = kind.schema.get("enum")
        close = ""
        if isinstance(value, str) and isinstance(choices, list):
            close = suggest_close(value, (word for word in choices if isinstance(word, str)))
        hint = self._hint_for(key)
        return RecordError(keys, code, message, f"{close}; {hint}" if close and hint else close or hint)

    def _no_object(self, record: object) -> RecordError:
        names = ", ".join(key.name for key in self.keys)
        message = say("found {value}, expected an object with {names}", quoted(record), names)
        return RecordError(
            (), self._code.format(key="form"), message, self._hint or f"write {{{self.keys[0].name}: …}}"
        )

    def _hint_for(self, key: Key) -> str:
        example = f"for example {key.name}: {json.dumps(key.example, ensure_ascii=False)}" if key.example else ""
        return "; ".join(filter(None, (key.sentence, example, self._hint)))


def _describe_key(key: Key) -> dict[str, object]:
    own = {"anyOf": [key.kind.schema, {"type": "null"}]} if key.null else key.kind.schema
    described = {**own, "description": key.sentence}
    if key.example is not None:
        described["examples"] = [key.example]
    if key.default is not REQUIRED and key.default is not SKIP:
        described["default"] = list(key.default) if isinstance(key.default, tuple) else key.default
    return described


def each(record: Record[T], expected: str) -> kinds.Kind:
    """Return the kind of lists of records that must all be readable."""
    return kinds.Kind(
        expected,
        lambda value: isinstance(value, list),
        {"type": "array", "items": record.schema()},
        keep=lambda value: tuple(map(record.read, value)),
        write=lambda value: list(map(record.write, value)),
    )


def nested(record: Record[T]) -> kinds.Kind:
    """Return the kind of records nested in another record."""
    expected, schema = f"a mapping with {', '.join(key.name for key in record.keys)}", record.schema()
    return kinds.Kind(expected, kinds.mapping.fits, schema, record.read, record.write, inner=record.problems)


def readable(record: Record[T]) -> kinds.Kind:
    """Return the kind of lists of records in which unreadable ones are skipped."""
    return kinds.Kind(
        "a list",
        lambda value: isinstance(value, list),
        {"type": "array", "items": record.schema()},
        keep=lambda value: tuple(map(record.read, filter(record.fits, value))),
    )


def checked_records(record: Record[T], expected: str) -> kinds.Kind:
    """Return the kind of lists of records; those with problems are reported and left out."""
    return replace(
        readable(record),
        expected=expected,
        inner=lambda value: (
            error.inside(index) for index, item in enumerate(value) for error in record.problems(item)
        ),
    )
