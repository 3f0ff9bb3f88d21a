"""The page of all settings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from gm.base.config.manual import SettingEntry, all_settings, section_docs

HEAD = """\
# The settings

Made from the declarations in `gm/base/config/` by `make docs`; change those, not this file.

Everything stands in a world's `gm.yaml`, and every line of it is optional. A dotted name is a section and a name in it:

```yaml
reflection:
  threshold: 80        # reflection.threshold
```

`gm settings` shows what holds in a world and which line says so, `gm settings NAME` this page's words on it.
A name that does not exist, or a value that does not fit, is named by `gm check` with its line; the default is used.
"""


def render_manual() -> str:
    """Render the whole manual as Markdown."""
    docs = section_docs()
    entries = all_settings()
    parts = [HEAD, _contents(entries)]
    for section, members in groupby(entries, lambda entry: entry.section):
        if section:
            parts.append(f"## {section}\n\n{docs[section]}\n")
        else:
            parts.append("## At the top of the file\n")
        parts.append("\n".join(_item(entry) for entry in members) + "\n")
    return "\n".join(parts)


def _contents(entries: Sequence[SettingEntry]) -> str:
    sections = dict.fromkeys(entry.section for entry in entries if entry.section)
    links = " · ".join(f"[{name}](#{name.replace('.', '')})" for name in sections)
    return f"[At the top of the file](#at-the-top-of-the-file) · {links}\n"


def _item(entry: SettingEntry) -> str:
    unit = f", in {entry.unit}" if entry.unit else ""
    return f"- **`{entry.name}`**: {entry.sentence}\n  Takes {_code(entry.takes)}{unit}. Default: `{entry.default}`"


def _code(takes: str) -> str:
    words, colon, example = takes.partition(": ")
    if not colon:
        return takes
    example, comma, rest = example.partition(", or null")
    return f"{words}, as `{example}`{comma}{rest}"
