"""The pages of a world's files (``docs/reference/files.md``, ``schemas.md``, ``personas.md``), and of their keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from gm.api.editing.schema import KINDS, describe_schema, kind_of
from gm.api.reference.keytables import Schema, render_keys
from gm.base.config.manual import as_yaml
from gm.layers import LAYERS
from gm.memory.lens import LENS
from gm.model.front import GROUPS, TOPIC, WORK
from gm.model.logged import LOG_END, LOG_LINE
from gm.model.record import Key

FILES_HEAD = """\
# The files of a world

Made from the declarations of records by `make docs`; change those, not this file.

A world is a folder. Every file in it is text in UTF-8 that you may read, correct and keep in git; `gm check` names each
mistake with its line and column. `AGENT` stands for the id of a character, which is the name of its files. In a
`.jsonl` file each line is one JSON object, and gm appends lines; other keys than those below are kept as they are,
unless the description says that there are no others. [The same as JSON Schema](schemas.md).
"""
SCHEMAS_HEAD = """\
# JSON Schemas

Made from the declarations of records by `make docs`; change those, not this file.

What `gm schema KIND` prints, by KIND. `gm schema --write` puts all of them into a world, with settings that have VS
Code complete and check its files. [The same as tables](files.md).
"""
PLACES: Mapping[str, str] = {
    "gm.yaml": "Settings; every line is optional ([settings](settings.md)).",
    "prompts/": "Prompts of your own, in place of those that come with gm; `prompts/scenes/` holds the scene types.",
    "gallery/": "What characters have made, and what you put there; `gallery/portraits/AGENT.png` is a picture.",
    "library/": "Texts that scenes may look things up in.",
    "scripts/": "Days that you have written yourself.",
    "state/world.json": "The clock: the day, the time, the calendar.",
    "state/bulletin.json": "The board: posts, briefs, feedback, decisions.",
    "state/threads.jsonl": "Promises, questions, appointments and silences: what began, went on and ended.",
    "state/links.json": "Requests for memories that wait for an answer.",
    "state/agents/": "Where each character is, its mood, plan and task.",
    "state/personas/": "Who each character is, as people write it ([personas](personas.md)).",
    "state/memories/": "What each character remembers, a memory a line, the oldest first.",
    "state/gifted/": "The memories that a character begins with, made by `gm gift`.",
    "state/archive/": "Memories that were put together in summaries or pruned, to the byte; nothing is deleted.",
    "state/summaries/": "What remains of them in a character's own words.",
    "state/logbook/": "What happened, a file a day and a scene a line; `logbook/` beside `state/` in older worlds.",
    "state/traces/": "Every question to a model with its raw answer; a question that is kept is not asked again.",
    "state/traces/carried.json": "In a branch: the answers that it took along and the other world paid for.",
    "state/mailbox/": "Questions that wait for an answer from outside: a letter, and the answer beside it.",
    "state/imported/": "What was imported, as it came; it is in no prompt.",
    **{f"state/{layer.file.folder}/": layer.about for layer in LAYERS},
    "state/.gm/": "Notes of gm itself. The answers of questions out of scene (`asks/`, `interviews/`) and the record "
    "that `gm rewind` follows (`changes/`) lie there; everything else is made anew where it is missing.",
}
"""What lies in a world, and what it is for."""
EXAMPLES: Mapping[str, str] = {
    "settings": "reflection: {threshold: 80}",
    "persona": "name: Mina Holt\nrole: Carpenter\nhome: boathouse\n",
    "scene-type": "play: sequential\ncast: [2, 3]\ntimes: [morning, noon]\n",
    "piece": "title: A plan for Sunday\nagent: casey\ncreated: day-002/scene-05\n",
    "memory": '{"id": "mina-007", "created": "day-002/scene-03", "type": "observation", "depth": 0, "description": '
    '"Otto has measured the keel twice.", "importance": 4, "tags": ["keel"], "evidence": [], "metadata": {}}',
    "agent": '{"name": "Mina Holt", "position": "boathouse", "mood": "calm", "current_task": "the keel", '
    '"today_plan": ["Ask Otto for the saw"], "importance_accumulator": 12, "last_reflection": null}',
    "world": '{"day": 3, "day_of_week": "Wednesday", "time_of_day": "noon", "scenes_today": 2, "scenes_total": 14, '
    '"scheduled_events": [{"day": 4, "event": "The launch"}], "active_briefs": ["Finish the keel."], "day_open": true}',
    "board": '{"posts": [{"author": "Creative Director", "type": "brief", "content": "Finish the keel.", "day": 1}], '
    '"team_decisions": []}',
    "thread": '{"id": "thread-001", "at": "day-002/scene-03", "event": "open", "by": "mina", "kind": "promise", "to": '
    '["otto"], "due": 3, "text": "I bring the saw back by Wednesday."}',
    **{kind_of(layer): layer.example for layer in LAYERS},
    "answer": '{"agent": "mina", "at": "day-003", "key": "memory-2", "kind": "memory", "question": '
    '"What did Otto measure?", "answer": "The keel, twice.", "cited": ["mina-007"]}',
    "lens": '{at: formation, name: dry, when: {words: ["keel*"]}, add: "And nobody asked me.", importance: -1}',
    "script": "scenes:\n  - {type: encounter, with: [mina, otto], premise: The saw is gone.}\n  - {free: 2}\n",
    "request": '{"from": "mina", "to": "otto", "about": ["keel"], "at": "day-002/scene-03"}',
    "logbook": '{"scene": 3, "type": "MEETING", "time_of_day": "noon", "location": "boathouse", "participants": '
    '["mina", "otto"], "summary": "They measure the keel."}',
}
"""An object of each kind, in the form of its file; all of them fit their schemas."""
_ELSEWHERE = {"settings": "settings.md", "persona": "personas.md"}
"""Kinds whose keys have a page of their own."""
_LOGGED = (("A scene", LOG_LINE), ("The end of a day", LOG_END))
HEAD = """\
# Personas

Made from the declaration in `gm/model/front.py` by `make docs`; change that, not this file.

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


def render_files() -> str:
    """Write the page of all files as Markdown."""
    return "\n".join((FILES_HEAD, *_render_places(), *_kinds()))


def render_schemas() -> str:
    """Write the page of all schemas as Markdown."""
    parts = [SCHEMAS_HEAD]
    for name, kind in KINDS.items():
        schema = json.dumps(describe_schema(name), ensure_ascii=False, indent=1)
        parts.append(f"## {name}\n\nPlace: {kind.place}.\n\n```json\n{schema}\n```\n")
    return "\n".join(parts)


def _render_places() -> Iterator[str]:
    yield "## What lies where\n"
    rows = (f"| `{place}` | {sentence} |" for place, sentence in PLACES.items())
    yield "\n".join(("| place | |", "|---|---|", *rows)) + "\n"


def _kinds() -> Iterator[str]:
    for name, kind in KINDS.items():
        schema: Schema = describe_schema(name)
        yield f"## {name}\n"
        closed = schema.get("additionalProperties") is False
        own = " Keys of your own begin with `_`." if "patternProperties" in schema else ""
        yield f"Place: {kind.place}.{' It has no other keys.' if closed and not own else own}\n"
        if name == "logbook":
            yield from _logbook()
        else:
            yield f"[Its keys]({_ELSEWHERE[name]}).\n" if name in _ELSEWHERE else render_keys(schema, defaults=True)
        language = "json" if EXAMPLES[name].startswith('{"') else "yaml"
        yield f"```{language}\n{EXAMPLES[name].strip()}\n```\n"


def _logbook() -> Iterator[str]:
    yield (
        "gm reads it tolerantly: a line that was written by hand needs no more than `scene`, `type` and what it "
        "describes. gm itself writes two kinds of lines.\n"
    )
    for title, record in _LOGGED:
        yield f"### {title}\n"
        yield render_keys(record.schema(written=True))


def render_personas() -> str:
    """Render the manual as Markdown."""
    return "\n".join((HEAD, *_groups(), *_render_items()))


def _groups() -> Iterator[str]:
    for heading, keys in GROUPS.items():
        note = f"{NOTES[heading]}\n\n" if heading in NOTES else ""
        yield f"## {heading}\n\n{note}{_render_keys(keys)}"


def _render_items() -> Iterator[str]:
    for heading, about, keys in ITEMS:
        yield f"## {heading}\n\n{about}\n\n{_render_keys(keys)}"


def _render_keys(keys: Iterable[Key]) -> str:
    return "\n".join(chain.from_iterable(map(_render_key, keys))) + "\n"


def _render_key(key: Key) -> Iterator[str]:
    only = f" Only with `at: {' or '.join(key.only)}`." if key.only else ""
    yield f"- **`{key.name}`**: {key.sentence[:1].upper()}{key.sentence[1:]}."
    takes = key.kind.expected.partition(":")[0]
    yield f"  Takes {takes}.{only}" + ("" if key.example is None else f" Example: `{key.name}: {as_yaml(key.example)}`")
