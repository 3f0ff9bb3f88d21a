"""The manual of settings, from their declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

from gm.base.config.declare import SettingsSection, setting_key
from gm.base.config.settings import Settings

UNITS = {
    "_tokens": "estimated tokens",
    "_ceiling": "estimated tokens",
    "_days": "story days",
    "_s": "seconds",
    "_seconds": "seconds",
    "_usd": "US dollars",
    "_chars": "characters",
    "weights.": "points",
}
"""Units live in names: how a setting ends, or how it begins."""

OWN_UNITS = {
    "budget.day_tokens": "tokens",
    "llm.max_tokens": "tokens",
    "context.budget_by_model": "estimated tokens",
    "context.prompt_by_model": "estimated tokens",
    "prices": "US dollars for a million tokens",
}
"""Where the name alone would say something else."""


@dataclass(frozen=True, slots=True)
class SettingEntry:
    """One setting in the manual.

    Attributes:
        name: Dotted, as in ``gm.yaml``: ``reflection.threshold``.
        takes: Possible values in words, with the range.
        unit: Empty where the sentence makes it plain.
    """

    name: str
    takes: str
    default: str
    unit: str
    sentence: str

    @property
    def section(self) -> str:
        """Empty at the top of the file."""
        return self.name.rpartition(".")[0]


def all_settings() -> tuple[SettingEntry, ...]:
    """Return every setting in the order of declaration, those at the top of the file first."""
    found = list(_entries(Settings, ""))
    return tuple(sorted(found, key=lambda entry: bool(entry.section)))


def section_docs() -> Mapping[str, str]:
    """Return each section's sentence by dotted name; ``""`` is the top of the file."""
    return dict(_docs(Settings, ""))


def settings_schema(
    kind: type[SettingsSection] = Settings, more: Mapping[str, object] = MappingProxyType({})
) -> dict[str, object]:
    """Return the JSON Schema of ``gm.yaml``, or of one section, with ``more`` properties."""
    found: dict[str, object] = {}
    for item in fields(kind):
        name, inner = setting_key(item.name), item.metadata.get("section")
        if inner is not None:
            found[name] = {**settings_schema(inner), "type": ["object", "null"]}  # a section may stand there empty
            continue
        described = {"description": item.metadata.get("doc"), "default": _to_yaml_data(_default(item))}
        found[name] = {**item.metadata["kind"].schema, **described}
    what = cleandoc(kind.__doc__ or "").partition("\n")[0]
    return {"type": "object", "description": what, "properties": {**found, **more}, "additionalProperties": False}


def value_at(settings: Settings, name: str) -> Any:
    """Return the value of the setting with a dotted name.

    Raises:
        KeyError: There is none.
    """
    value: Any = settings
    for key in name.split("."):
        named = (
            {setting_key(item.name): item.name for item in fields(value)} if isinstance(value, SettingsSection) else {}
        )
        value = getattr(value, named[key])
    return value


def as_yaml(value: object) -> str:
    """Write a value as in ``gm.yaml``, on one line."""
    import yaml

    written = yaml.safe_dump(
        [_to_yaml_data(value)], default_flow_style=True, allow_unicode=True, width=2**31, sort_keys=False
    )
    return str(written).strip()[1:-1]


def _to_yaml_data(value: object) -> Any:
    if isinstance(value, Mapping):
        return {key: _to_yaml_data(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_to_yaml_data(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _entries(kind: type[SettingsSection], prefix: str) -> Iterator[SettingEntry]:
    for item in fields(kind):
        name = prefix + setting_key(item.name)
        inner = item.metadata.get("section")
        if inner is not None:
            yield from _entries(inner, f"{name}.")
            continue
        yield SettingEntry(
            name, item.metadata["kind"].expected, as_yaml(_default(item)), _unit(name), item.metadata["doc"]
        )


def _default(item: Field[Any]) -> Any:
    factory = item.default_factory
    return factory() if factory is not MISSING else item.default


def _unit(name: str) -> str:
    if name in OWN_UNITS:
        return OWN_UNITS[name]
    return next((unit for part, unit in UNITS.items() if name.endswith(part) or name.startswith(part)), "")


def _docs(kind: type[SettingsSection], name: str) -> Iterator[tuple[str, str]]:
    yield name, cleandoc(kind.__doc__ or "").replace("``", "`")
    for item in fields(kind):
        inner = item.metadata.get("section")
        if inner is not None:
            yield from _docs(inner, f"{name}.{setting_key(item.name)}".lstrip("."))
