"""The manual of personas, made from the declaration of their front matter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from gm.base.config.manual import as_yaml
from gm.memory.lens_form import LENS
from gm.model.persona import GROUPS, TOPIC, WORK
from gm.model.record import Key

HEAD = """\
# Personas

Made from the declaration in `gm/model/persona.py` by `make docs`; change that, not this file.

A persona is a file `state/personas/<id>.md`: who a character is, as people write it. Prose alone is enough. It is
addressed to the model that plays the character ("You are Mina, a carpenter …"), and its Markdown is kept. Above it may
stand front matter between two lines of three hyphens, of which every line is optional:

```markdown
---
name: Mina Holt
role: Carpenter
home: boathouse
voice: Short sentences. She names a tool before she names a person.
friends: {otto: "He holds the other end of every plank."}
---

You are Mina. You build boats and finish none of them.
```

The file name is the character's id (`mina`): the name that other files use. `gm check` names a key that does not exist,
a value that does not fit, and a character that is not in the world, with its line and column. A mistake there is a
warning: the value counts as absent, and the day is played. Keys of your own begin with `_`; they are neither shown nor
checked.
`gm schema persona` prints the same as JSON Schema.
"""
NOTES = {
    "What the rehearsal says": "A language model is not asked with these: its voice comes from the prose. "
    "The offline rehearsal (`model: rehearsal`) takes its words from them.",
    "How it is played": "These keys override what `gm.yaml` says for all characters.",
}
ITEMS = (
    ("A topic", "An item of `topics`.", TOPIC.keys),
    ("A work", "An item of `works`.", WORK.keys),
    (
        "A lens",
        "An item of `lenses`. It needs `at`, and one of the changes that fit it. A mistake in a lens is an error.",
        LENS.keys,
    ),
)


def render_personas() -> str:
    """Render the manual as Markdown."""
    return "\n".join((HEAD, *_groups(), *_items()))


def _groups() -> Iterator[str]:
    for heading, keys in GROUPS.items():
        note = f"{NOTES[heading]}\n\n" if heading in NOTES else ""
        yield f"## {heading}\n\n{note}{_listed(keys)}"


def _items() -> Iterator[str]:
    for heading, about, keys in ITEMS:
        yield f"## {heading}\n\n{about}\n\n{_listed(keys)}"


def _listed(keys: Iterable[Key]) -> str:
    return "\n".join(chain.from_iterable(map(_key, keys))) + "\n"


def _key(key: Key) -> Iterator[str]:
    only = f" Only with `at: {' or '.join(key.only)}`." if key.only else ""
    yield f"- **`{key.name}`**: {key.sentence[:1].upper()}{key.sentence[1:]}."
    takes = key.kind.expected.partition(":")[0]
    yield f"  Takes {takes}.{only}" + ("" if key.example is None else f" Example: `{key.name}: {as_yaml(key.example)}`")
