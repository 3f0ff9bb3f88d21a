"""Worlds that grew apart: days that were played differently from one beginning, as contents of files."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

from gm.model.node import Node, NodeType, render_node

NAMES = ("emre", "nami", "vera")
World = dict[str, bytes]


def line(record: Mapping[str, Any]) -> str:
    return json.dumps(dict(record), ensure_ascii=False) + "\n"


class Grower:
    """Grows a small world at random: what it writes is consistent with itself."""

    def __init__(self, world: Mapping[str, bytes], dice: random.Random, mark: str) -> None:
        self.world = {path: data.decode() for path, data in world.items()}
        self.dice = dice
        self.mark = mark

    @property
    def files(self) -> World:
        return {path: text.encode() for path, text in self.world.items()}

    def document(self, path: str) -> dict[str, Any]:
        found = json.loads(self.world.get(path, "{}"))
        assert isinstance(found, dict)
        return found

    def write(self, path: str, document: Mapping[str, Any]) -> None:
        self.world[path] = json.dumps(dict(document), ensure_ascii=False, indent=4) + "\n"

    def rows(self, path: str) -> list[dict[str, Any]]:
        return [json.loads(row) for row in self.world.get(path, "").splitlines()]

    def begin(self) -> None:
        """Make the world of day 0."""
        for name in NAMES:
            self.world[f"state/memories/{name}.jsonl"] = ""
            values = {"name": name.title(), "importance_accumulator": 0, "mood": "", "last_reflection": None}
            self.write(f"state/agents/{name}.json", {**values, "today_plan": [], "position": "hall"})
        self.write("state/world.json", {"day": 0, "scenes_today": 0, "scenes_total": 0, "day_open": False})
        self.write("state/bulletin.json", {"posts": [], "team_decisions": []})
        self.world["gm.yaml"] = "language: de\n"

    def play_day(self) -> None:
        """Play the next day: scenes, memories with evidence, threads, posts, artifacts, a reflection."""
        clock = self.document("state/world.json")
        day = clock["day"] + 1
        clock |= {"day": day, "scenes_today": 0, "day_open": False, "studio_status": f"{self.mark} {day}"}
        if self.dice.random() < 0.4:
            self.post(day)
        for _ in range(self.dice.randint(1, 3)):
            clock["scenes_today"] += 1
            clock["scenes_total"] += 1
            self.scene(day, clock["scenes_today"])
        summary = {"type": "SUMMARY", "summary": f"Tag {day} {self.mark}.", "highlights": [self.mark]}
        self.world[self.log(day)] += line(summary)
        self.write("state/world.json", clock)

    def log(self, day: int) -> str:
        return f"state/logbook/day-{day:03d}.jsonl"

    def scene(self, day: int, number: int) -> None:
        ref = f"day-{day:03d}/scene-{number:02d}"
        cast = self.dice.sample(NAMES, self.dice.randint(1, 3))
        made: list[dict[str, Any]] = []
        works: list[str] = []
        for name in cast:
            for _ in range(self.dice.randint(1, 3)):
                made.append(self.remember(name, ref))
        if self.dice.random() < 0.5:
            works.append(self.artifact(cast[0], day, ref, made))
        threads = [self.thread(cast[0], ref)] if self.dice.random() < 0.4 else []
        record = {
            "scene": number,
            "type": "WORK",
            "participants": cast,
            "why": self.mark,
            "summary": f"{self.mark}, {ref}.",
        }
        record |= {"artifacts": works, "memories": made, "threads": threads, "location": "hall"}
        path = self.log(day)
        self.world[path] = self.world.get(path, "") + line(record)

    def remember(self, name: str, ref: str, kind: NodeType = "observation", **metadata: Any) -> dict[str, Any]:
        path = f"state/memories/{name}.jsonl"
        number = max((int(row["id"][-3:]) for row in self.rows(path)), default=0) + 1
        known = [row["id"] for other in NAMES for row in self.rows(f"state/memories/{other}.jsonl")]
        cited = tuple(dict.fromkeys(self.dice.choices(known, k=2))) if known and self.dice.random() < 0.4 else ()
        if cited and kind == "observation":
            kind = "reflection"
        posts = self.document("state/bulletin.json")["posts"]
        if posts and self.dice.random() < 0.2:
            metadata["post"] = f"bulletin/{len(posts) - 1}"
        text = f"{self.mark}: {name} {ref} {self.dice.random()}"
        node = Node(f"{name}-{number:03d}", ref, kind, 1 if cited else 0, text, 5, (), cited, metadata)
        self.world[path] += render_node(node) + "\n"
        agent = self.document(f"state/agents/{name}.json")
        agent["importance_accumulator"] += 5
        agent["mood"] = self.mark
        if kind == "reflection" and self.dice.random() < 0.5:
            agent |= {"importance_accumulator": 0, "last_reflection": node.id}
        self.write(f"state/agents/{name}.json", agent)
        return {"agent": name, "id": node.id, "importance": 5}

    def artifact(self, maker: str, day: int, ref: str, made: list[dict[str, Any]]) -> str:
        path = f"gallery/texte/day-{day:03d}_turm-{self.dice.randint(1, 3)}_v1.md"
        while path in self.world:
            head, _, version = path.removesuffix(".md").rpartition("_v")
            path = f"{head}_v{int(version) + 1}.md"
        item = self.remember(maker, ref, "artifact", artifact_path=path)
        made.append(item)
        head = f"---\ntitle: Turm\nagent: {maker}\ncreated: {ref}\nnode: {item['id']}\n---\n"
        self.world[path] = f"{head}\n{self.mark} {self.dice.random()}\n"
        return path

    def thread(self, by: str, ref: str) -> dict[str, Any]:
        path = "state/threads.jsonl"
        rows = self.rows(path)
        opened = [row["id"] for row in rows if row["event"] == "open"]
        closed = [row["id"] for row in rows if row["event"] == "close"]
        waiting = [name for name in opened if name not in closed]
        if waiting and self.dice.random() < 0.5:
            event = {"id": self.dice.choice(waiting), "at": ref, "event": "close", "by": by, "outcome": "kept"}
        else:
            number = max((int(name[-3:]) for name in opened), default=0) + 1
            event = {"id": f"thread-{number:03d}", "at": ref, "event": "open", "by": by}
            event |= {"kind": "promise", "to": [], "due": None}
        self.world[path] = self.world.get(path, "") + line(event | {"text": f"{self.mark} {self.dice.random()}"})
        return {"id": event["id"], "event": event["event"], "by": by}

    def post(self, day: int) -> None:
        board = self.document("state/bulletin.json")
        board["posts"].append({"from": "CD", "day": day, "scene": 0, "type": "note", "content": f"{self.mark} {day}"})
        self.write("state/bulletin.json", board)

    def edit(self) -> None:
        """Let a person correct a memory."""
        name = self.dice.choice(NAMES)
        path = f"state/memories/{name}.jsonl"
        rows = self.world[path].splitlines(keepends=True)
        if rows:
            at = self.dice.randrange(len(rows))
            record = json.loads(rows[at])
            record["tags"] = [f"von-hand-{self.mark}"]
            rows[at] = line(record)
            self.world[path] = "".join(rows)


def grown_on(world: World, seed: int, mark: str, days: int) -> World:
    """Play more days in a world."""
    grower = Grower(world, random.Random(seed), mark)
    for _ in range(days):
        grower.play_day()
    return grower.files


def grown(seed: int) -> tuple[World, World, World]:
    """Make three versions of a world: what both sides began with, ours, theirs."""
    dice = random.Random(seed)
    base = Grower({}, dice, "basis")
    base.begin()
    for _ in range(dice.randint(0, 2)):
        base.play_day()
    sides = []
    for mark in ("unser", "ihr"):
        side = Grower(base.files, dice, mark)
        for _ in range(dice.randint(0, 2)):
            side.play_day()
        sides.append(side)
    if dice.random() < 0.5:
        dice.choice(sides).edit()
    return base.files, sides[0].files, sides[1].files
