"""Write attacks into every file of a world, wherever it holds a text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import yaml

from gm.api.playing.mailbox import RULE
from gm.ask.reply.schema import character_forms
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.now import NOW
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from tests.browser.attacks import ATTACKS, FILE_NAMES, LONG, SHORT, Attack

CANARY = "KANARIENVOGEL-AUS-DEM-NACHBARHAUS"
"""Stands in a file beside the world; no page may ever show it."""
STRANGERS = (
    "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "__proto__", "constructor", "CON", "a?b=c#d&e=f",
    "{{7*7}}", "..%2f..%2fetc%2fpasswd", "مرحبا", "👩‍👩‍👧‍👦", "Bru\u0308cke", "javascript:alert(1)", "index",
    "100%", "_5f_", "ÄÖÜ" * 20,
)  # fmt: skip
"""Ids of characters that nobody would choose and every file system takes."""
WAYS_OUT = (
    "../secret.md", "gallery/../../secret.md", "gallery/../gm.yaml", "/etc/passwd", "gallery/design/../../../secret.md",
    "gallery\\..\\..\\secret.md", "gallery/%2e%2e/%2e%2e/secret.md", "file:///etc/passwd", "gallery", "", ".", "..",
    "gallery/design/neighbour.md", "gallery/nothing-here.md",
)  # fmt: skip
"""What logbooks and memories may name as artifacts, and none of which is one."""
LETTER = "day-003-scene-01-alex"
COMMANDS = (
    "continue", "replay", "take", "ask", "candidates", "pick", "call", "event", "post", "brief", "quit", "skip", "end",
)  # fmt: skip
FOREIGN = {
    "page.html": "<!doctype html><script>alert(1)</script><h1>Seite</h1>",
    "picture.svg": '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>',
    "script.js": "alert(1)",
    "picture.png": "<script>alert(1)</script>",
    "no-ending": "<script>alert(1)</script>",
    "data.json": '{"a": "</script><script>alert(1)</script>"}',
}
"""Files of other kinds that may lie in the gallery."""


def attack_everything(layout: Layout) -> None:
    """Put all attacks into a played world: its settings, everybody's files, its board, its days, its gallery."""
    texts = [attack.text for attack in ATTACKS if attack is not LONG and attack.text.strip()]
    short = cycle(attack.text for attack in SHORT)
    (layout.root.parent / "secret.md").write_text(f"---\ntitle: {CANARY}\n---\n\n{CANARY}\n", encoding="utf-8")
    _settings(layout, texts)
    _board(layout, [*texts, LONG.text], short)
    for agent in layout.agent_names():
        _mind(layout, agent, texts, short)
        _regards(layout, agent, texts, short)
    for name in STRANGERS:
        _stranger(layout, name, short)
    _days(layout, texts, short, _gallery(layout, short))
    _traces(layout, texts)
    _prompts(layout, texts)
    _mailbox(layout, texts, short)
    _kept_and_beside(layout)


def _settings(layout: Layout, texts: list[str]) -> None:
    settings = yaml.safe_load(layout.settings.read_text(encoding="utf-8"))
    whole = "\n\n".join(texts)
    settings["world"] = {"title": "</title><script>alert(1)</script>\"'", "premise": whole, "rules": texts}
    settings["places"] |= dict.fromkeys((attack.text for attack in SHORT), "\n".join(texts[:40]))
    settings["start"] |= {"status": texts[0], "brief": whole}
    text = yaml.safe_dump(settings, allow_unicode=True, sort_keys=False)
    layout.settings.write_text(text, encoding="utf-8")


def _board(layout: Layout, texts: list[str], short: Iterator[str]) -> None:
    board = _read(layout.bulletin)
    board["posts"] += [
        {"from": next(short), "day": 2, "scene": 0, "type": kind, "content": text}
        for kind in ("brief", "post", next(short))
        for text in texts
    ]
    board["team_decisions"] = [*texts, {"day": 1, "decision": texts[0]}]
    _write(layout.bulletin, board)
    clock = _read(layout.world)
    clock |= {"active_briefs": texts, "studio_status": texts[0], "time_of_day": next(short)}
    clock["scheduled_events"] += [{"day": 9, "time": next(short), "event": text} for text in texts]
    _write(layout.world, clock | {"day_of_week": next(short)})
    by, *to = layout.agent_names()
    opened = {"at": "day-002/scene-02", "event": "open", "by": by, "to": [*to, STRANGERS[0]], "kind": "promise"}
    closed = {"at": "day-002/scene-03", "event": "close", "by": by, "outcome": "kept"}
    ids = [f"thread-{number}" for number in range(1000, 1000 + len(texts))]
    _append(layout.threads, ({"id": id, **opened, "text": text} for id, text in zip(ids, texts, strict=True)))
    _append(layout.threads, ({"id": id, **closed, "text": text} for id, text in zip(ids[:40], texts, strict=False)))


def _nodes(agent: str, texts: list[str], short: Iterator[str], first: int) -> Iterator[dict[str, Any]]:
    """Make a memory of each text; every fourth is a reflection on those before it."""
    for number, text in enumerate(texts, first):
        way_out = WAYS_OUT[number % len(WAYS_OUT)]
        yield {
            "id": f"{agent}-{number:03d}",
            "created": "day-002/scene-03",
            "type": "observation" if number % 4 else "reflection",
            "depth": 0 if number % 4 else 1,
            "description": text,
            "importance": 1 + number % 10,
            "tags": [next(short), next(short), "gemeinsam"],
            "evidence": [] if number % 4 else [f"{agent}-{number - 1:03d}", f"{agent}-{number - 2:03d}", text[:80]],
            "metadata": {"kind": next(short), "artifact_path": way_out, "title": text[:80]},
        }


def _mind(layout: Layout, agent: str, texts: list[str], short: Iterator[str]) -> None:
    for path, first in ((layout.stream(agent), 2000), (layout.archived(agent), 3000), (layout.gifted(agent), 4000)):
        path.parent.mkdir(exist_ok=True)
        _append(path, _nodes(agent, [*texts, LONG.text], short, first))
    state = _read(layout.agent(agent))
    state |= {"current_task": next(short), "today_plan": texts, "mood": next(short), "position": next(short)}
    state["name"] = f"{state['name']} {next(short)}"
    _write(layout.agent(agent), state)
    for path in (layout.layer(SOUL, agent), layout.layer(NOW, agent), layout.layer(WORKING, agent)):
        layers = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        layers = {key: [*value, *texts] if isinstance(value, list) else texts[0] for key, value in layers.items()}
        path.write_text(yaml.safe_dump(layers, allow_unicode=True), encoding="utf-8")
    goals = ({"id": f"goal-{50 + at}", "at": "day-001", "event": "open", "text": text} for at, text in enumerate(texts))
    _append(layout.layer(GOALS, agent), goals)
    entry = {"mood": next(short), "location": next(short), "tags": [attack.text for attack in SHORT]}
    _append(layout.layer(DIARY, agent), [{"day": "day-009", **entry, "text": "\n\n".join([*texts, LONG.text])}])


def _regards(layout: Layout, agent: str, texts: list[str], short: Iterator[str]) -> None:
    """Let a character think attacks of those it knows, and of strangers."""
    regards = _read(layout.layer(RELATIONSHIPS, agent))
    spoken = {"rationale": "\n".join(texts), "relationship_notes": "\n".join(texts)}
    for regard in regards.values():
        regard |= {"relationship_type": next(short), "emotional_tone": next(short), **spoken}
    some = next(iter(regards.values()))
    regards |= {name: {**some, "rationale": text} for name, text in zip(STRANGERS, texts, strict=False)}
    _write(layout.layer(RELATIONSHIPS, agent), regards)
    turned = {"at": "day-002/scene-02", "with": next(iter(regards))}
    changes = ({**turned, "old": {"rationale": text}, "new": {"rationale": text}, "why": text} for text in texts)
    _append(layout.layer(RELATIONSHIPS, agent, HISTORY), changes)


def _stranger(layout: Layout, name: str, short: Iterator[str]) -> None:
    """Add a character with an impossible id, and a persona full of attacks."""
    text = next(short)
    state = {"name": text, "position": text, "current_task": text, "today_plan": [text], "mood": text}
    _write(layout.agents / f"{name}.json", {**state, "importance_accumulator": 0, "last_reflection": text})
    front: dict[str, Any] = dict.fromkeys(("name", "role", "age", "home", "archetype", "sprite", text), text)
    front |= {"traits": [text, next(short)], "color": "red;} body{background:url(https://attack.invalid/h.png)}"}
    prose = "\n\n".join(attack.text for attack in ATTACKS[:80])
    persona = f"---\n{yaml.safe_dump(front, allow_unicode=True)}---\n\n# {text}\n\n{prose}\n"
    (layout.personas / f"{name}.md").write_text(persona, encoding="utf-8")
    _append(layout.memories / f"{name}.jsonl", _nodes(name, [text] * 3, short, 1))


def _gallery(layout: Layout, short: Iterator[str]) -> list[str]:
    """Make a piece of work of each attack that Markdown could let loose, and some under impossible names."""
    folder = layout.gallery / "design"
    folder.mkdir(parents=True, exist_ok=True)
    names = cycle(attack.text for attack in FILE_NAMES)
    made = []
    for at, attack in enumerate(ATTACKS):
        if attack.kind in ("path", "style", "key") and at % 4:
            continue
        place = folder if at % 9 else layout.gallery / next(names).rstrip(". ")
        place.mkdir(exist_ok=True)
        path = place / f"day-002_{at if at % 3 else next(names)}_v1.md"
        path.write_text(_piece(attack, short), encoding="utf-8", newline="")
        made.append(layout.shown(path))
    for name, text in FOREIGN.items():
        (folder / name).write_text(text, encoding="utf-8")
        made.append(f"gallery/design/{name}")
    (folder / "neighbour.md").symlink_to(layout.root.parent / "secret.md")
    return made


def _piece(attack: Attack, short: Iterator[str]) -> str:
    front = {key: next(short) for key in ("title", "node", "kind", "made_with", next(short))}
    front |= {"agent": "alex", "created": "day-002/scene-03", "description": attack.text}
    body = attack.text.replace("\x00", "")
    return f"---\n{yaml.safe_dump(front, allow_unicode=True)}---\n\n# {body}\n\n{body}\n\n- {body}\n\n> {body}\n"


def _days(layout: Layout, texts: list[str], short: Iterator[str], made: list[str]) -> None:
    """Add scenes to the last day, in front of its closing line, and attacks to that one."""
    path = layout.day_log(2)
    *scenes, closing = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    agents = layout.agent_names()
    for at in range(4):
        said = [{"agent": agents[number % len(agents)], "text": text} for number, text in enumerate(texts)]
        scene: dict[str, Any] = {key: next(short) for key in ("type", "time_of_day", "location", "director", "topic")}
        scene |= dict.fromkeys(("why", "premise", "summary", "cd_feedback"), "\n".join(texts))
        scene |= dict.fromkeys(("dialogue", "thoughts", "actions"), said)
        if at % 2:
            turn = {"round": 1, "action": texts[at], "lines": [{"to": next(short), "text": text} for text in texts]}
            scene["turns"] = [{"agent": name, **turn, "thought": texts[at]} for name in (*agents, next(short))]
        scene["artifacts"] = [*made, *WAYS_OUT, {"path": "../secret.md", "title": next(short)}]
        scene["participants"] = [*agents, next(short), "creative-director"]
        scene["memories"] = [{"agent": "alex", "id": next(short), "importance": 5}]
        scene |= {"premises": dict.fromkeys(agents, texts[at]), "answers": texts}
        scenes.append({"scene": len(scenes) + 1, **scene})
    closing |= {"summary": "\n".join(texts), "highlights": texts, "open_threads": texts}
    _append(path, [*scenes, closing], mode="w")


def _traces(layout: Layout, texts: list[str]) -> None:
    """Let a model have answered with attacks."""
    for path in sorted(layout.traces.rglob("*.json")):
        if "tool" not in path.name and "result" not in path.name:
            trace = _read(path)
            trace["answer"]["text"] += "\n".join(texts)
            trace["label"] += texts[0]
            _write(path, trace)


def _prompts(layout: Layout, texts: list[str]) -> None:
    """Add scene types, prompts and texts of the library; as templates they are not valid ones."""
    for folder, ending in ((layout.prompts / "en" / "scenes", ".j2"), (layout.library, ".md")):
        folder.mkdir(parents=True, exist_ok=True)
        for at, attack in enumerate(FILE_NAMES[:6]):
            (folder / f"{attack.text}{ending}").write_text("\n".join(texts[at::6]), encoding="utf-8")


def _mailbox(layout: Layout, texts: list[str], short: Iterator[str]) -> None:
    """Lay letters into the mailbox: one of each form of a reply, with attacks in all they say."""
    layout.mailbox.mkdir(exist_ok=True)
    who, *others = layout.agent_names()
    whole = "\n\n".join(texts).replace("\x00", "")
    replies = (*character_forms(), "", next(short))
    names = (LETTER, *(f"day-003-scene-01-{attack.text}" for attack in FILE_NAMES))
    for name, reply in zip(names, replies, strict=False):
        front = {"for": next(short), "scene": "day-003/scene-01", "label": next(short), "identity": next(short)}
        front |= {"reply": reply, "question": next(short), "with": ", ".join((who, *others, next(short)))}
        front |= {"for": STRANGERS[0]} if name == LETTER else {}
        head = yaml.safe_dump(front, allow_unicode=True)
        text = f"---\n{head}---\n\n{whole}\n{RULE}\n\n# {next(short)}\n\n{whole}\n\n{front['question']}\n\n{whole}\n"
        (layout.mailbox / f"{name}.md").write_text(text, encoding="utf-8", newline="")
        (layout.mailbox / f"{name}.answer.json").write_text(json.dumps({"mood": texts[0], "action": whole}), "utf-8")
        (layout.mailbox / f"{name}.problem.md").write_text(whole, encoding="utf-8")


def _kept_and_beside(layout: Layout) -> None:
    """Keep rewinds to moments that are none, and put another world beside this one."""
    for number, attack in enumerate(SHORT[:6], 1):
        note = {"to": attack.text, "files": {"../../secret.md": "x", attack.text: "y"}, "result": {attack.text: None}}
        folder = layout.traces / "rewound" / f"{number:03d}"
        folder.mkdir(parents=True)
        _write(folder / "note.json", note)
    beside = layout.root.parent / STRANGERS[0]
    (beside / "state").mkdir(parents=True)
    shutil.copy(layout.settings, beside / "gm.yaml")
    shutil.copy(layout.world, beside / "state" / "world.json")


def run_events(cast: Iterable[str], *, deciding: bool) -> list[dict[str, Any]]:
    """Return what a run tells: a scene that is being played, or one that a person decides about, full of attacks.

    Args:
        cast: Ids of characters.
        deciding: Whether drafts lie there and a decision is awaited.
    """
    texts = [attack.text for attack in ATTACKS if attack is not LONG]
    whole, people = "\n".join(texts), list(cast)
    scene = {"scene": "day-003/scene-01", "why": whole, "cast": people}
    scene |= dict(zip(("type", "time", "clock", "place"), texts, strict=False))
    turn = {"agent": people[0], "said": texts, "thought": whole, "action": whole}
    log = {"scene": 1, "type": texts[0], "participants": people, "summary": whole, "turns": [turn]}
    planned = {"type": texts[1], "time_of_day": texts[2], "location": texts[3], "score": 1.5, "cast": people}
    planned |= {"why": whole, "parts": [{"part": texts[4], "points": 1.0}], "ruled_out": ""}
    tokens = dict.fromkeys(("input", "cache_read", "cache_write", "output"), 1)
    sums = {"calls": 1, "tokens": tokens, "usd": None}
    report = {"totals": sums, "unpriced_models": texts[:5], "seconds": 90.0, "answers": "studio"}
    began = [
        {"event": "model", "shown": texts[0], "why": whole, "rehearsal": False},
        {"event": "forecast", "line": whole, "report": report},
        {"event": "day_opened", "day": 3, "day_of_week": texts[0], "scenes_today": 0},
        {"event": "scene_begins", **scene},
        *({"event": "notice", "text": text} for text in texts),
        {"event": "answered", "scene": scene["scene"], "done": 1, "of": 3},
        {"event": "writing", "who": people[0], "characters": 12, "words": whole},
    ]
    memory = {"id": f"{people[0]}-9000", "created": scene["scene"], "type": "observation", "depth": 0}
    memory |= {
        "description": whole,
        "importance": 5,
        "tags": texts[:9],
        "evidence": texts[:9],
        "metadata": {"kind": texts[0]},
    }
    log["memories"] = [{"agent": people[0], "id": memory["id"], "importance": 5}]
    opened = {"id": "thread-9000", "at": scene["scene"], "event": "open", "by": people[0], "text": whole}
    opened |= {"kind": "promise", "to": [people[1]], "place": texts[0]}
    log["threads"] = [{"id": "thread-9000", "event": "open", "by": people[0]}]
    take = {"event": "draft", "scene": scene["scene"], "log": log, "threads": [opened]}
    decided = [
        {**take, "take": 1, "note": whole, "memories": {}},
        {**take, "take": 2, "note": "", "memories": {people[0]: [memory]}},
        {"event": "choices", "undecided": True, "choices": [{"name": name} for name in (*COMMANDS, *texts[:5])]},
        {"event": "candidates", "plan": {"candidates": [planned, {**planned, "ruled_out": whole}]}},
        {"event": "refused", "message": whole, "hint": whole},
        {"event": "tell", "lines": texts},
    ]
    return [*began, *(decided if deciding else ())]


def _read(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    assert isinstance(found, dict)
    return found


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _append(path: Path, lines: Any, mode: str = "a") -> None:
    with open(path, mode, encoding="utf-8", newline="") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
