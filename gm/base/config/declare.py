"""How settings are declared and read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple, dataclass_transform

from gm.base.config.kinds import Kind, switch_word
from gm.base.errors import say, say_unexpected
from gm.base.texts import quoted, suggest


class SettingProblem(NamedTuple):
    """An unusable setting: its keys, what is wrong, and what to do."""

    keys: tuple[str | int, ...]
    code: str
    message: str
    hint: str = ""
    is_error: bool = True


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class SettingsSection:
    """A group of settings: every subclass is a frozen dataclass, whose values are given by name, and not hashable.

    They share these methods: six made by ``@dataclass`` for each section would slow the start of every command.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    GONE: ClassVar[Mapping[str, str]] = {}
    """Settings of earlier versions by name, each with the reason why it can no longer be set."""

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, **values: object) -> None:
        known: dict[str, Any] = {item.name: item for item in fields(self)}
        unknown = values.keys() - known
        if unknown:
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        for name, item in known.items():
            if name not in values:
                values[name] = item.default if item.default is not MISSING else item.default_factory()
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    __hash__ = None  # type: ignore[assignment]  # some hold mappings

    def __repr__(self) -> str:
        shown = (f"{item.name}={getattr(self, item.name)!r}" for item in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"


def setting(default: object, kind: Kind, sentence: str, **more: object) -> Any:
    """Declare a setting: default, kind, sentence of the manual; of a weight, its ``source`` of candidates."""
    metadata = {"kind": kind, "doc": sentence, **more}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def setting_key(name: str) -> str:
    """Return a setting's name in ``gm.yaml``, without the ``_`` behind Python's keywords."""
    return name.removesuffix("_")


def section(kind: type[SettingsSection]) -> Any:
    """Declare a group of settings inside another."""
    return field(default_factory=kind, metadata={"section": kind})


def parse_section(
    kind: type[SettingsSection], data: object, keys: tuple[str | int, ...], problems: list[SettingProblem]
) -> SettingsSection:
    """Read a group of settings; a wrong value adds a problem and leaves the default."""
    if not isinstance(data, dict):
        message = say("found {value}, expected settings (name: value)", quoted(data))
        problems.append(SettingProblem(keys, "setting-type", message))
        return kind()
    known = {setting_key(item.name): item for item in fields(kind)}
    values: dict[str, object] = {}
    for key, value in data.items():
        name = switch_word(key)
        place = (*keys, str(name))
        if name not in known:
            message, hint = _explain_unknown(kind, str(name), place, known)
            problems.append(SettingProblem(place, "setting-unknown", message, hint, is_error=False))
            continue
        inner = known[name].metadata.get("section")
        if inner is not None:
            values[known[name].name] = parse_section(inner, {} if value is None else value, place, problems)
            continue
        try:
            values[known[name].name] = known[name].metadata["kind"](value)
        except ValueError as expected:
            named = ".".join(map(str, place))
            message = say_unexpected(named, quoted(value), expected.args[0])
            problems.append(SettingProblem(place, "setting-value", message, known[name].metadata["doc"]))
    return kind(**values)


def _explain_unknown(
    kind: type[SettingsSection], name: str, place: tuple[str | int, ...], known: Iterable[str]
) -> tuple[str, str]:
    if name in kind.GONE:
        return f"{'.'.join(map(str, place))} can no longer be set: {kind.GONE[name]}", "remove it from gm.yaml"
    return say("no setting is called {name}", repr(name)), suggest(name, known)
