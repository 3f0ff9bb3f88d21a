"""A world in which every text that a person could write tries to break out of the book."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL

SECRET = "secret-of-this-machine"
ATTACKS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    '#read("/etc/passwd") #import "evil.typ": * #eval("1+1") $x$ @label <label> #image("/etc/passwd")',
    "\\input{/etc/passwd} \\include $\\write18{id}$",
    "{{ 7*7 }}{% include 'book.css' %}{# #}",
    "![x](/etc/passwd) ![y](http://evil.example/a.png) ![z](../../../secret.txt) ![w](file:///etc/passwd)",
    "[a](javascript:alert(1)) <javascript:alert(1)> [b](data:text/html,x)",
    "\u202eegnaro\u2066 \u200b\ufeff \x00\x07\x1b[31m \ud800 \ufffe",
    "]]></p></body></html> <?xml version='1.0'?> <!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]> &e; &amp;",
    "--- \n# H1\n- a\n1. b\n> c\n| d |\n\n***\n",
    "x" * 10_000,
    "{day} {0} {missing} %s ${HOME} {name.__class__}",
    "`<b>x</b>`{=html} ```{=html}\n<script>alert(2)</script>\n```",
)
ALL = " ".join(text[:300] for text in ATTACKS)


def png(width: int = 8, height: int = 8, *, rotten: bool = False) -> bytes:
    """A small picture: grey; or one that is whole as a file, and whose inside is rotten."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\x00" + b"\x80" * width for _ in range(height)))[rotten * 5 :]
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _turns(text: str) -> list[dict[str, object]]:
    """Two turns at once and one afterwards, with an attack wherever a text goes."""
    turn = {"action": text, "lines": [{"to": text, "text": text}], "thought": text, "artifact": text}
    return [{"agent": agent, "round": number, **turn} for agent, number in (("vera", 1), (text, 1), ("emre", 2))]


def make_hostile(layout: Layout) -> Layout:
    """Write the attacks into a world that has played its first day."""
    (layout.root / "secret.txt").write_text(SECRET, encoding="utf-8")
    gallery = layout.gallery / "bilder"
    gallery.mkdir(parents=True)
    (gallery / "day-001_bild_v1.png").write_bytes(png())
    (gallery / "day-001_kaputt_v1.png").write_bytes(png()[:40])
    (gallery / "day-001_faul_v1.png").write_bytes(png(rotten=True))
    (gallery / "day-001_falsch_v1.png").write_bytes(b"<svg onload=alert(1)>")
    (gallery / "link.png").symlink_to(layout.root / "secret.txt")
    (gallery / "<script>x.md").write_text("ohne Kopf ![](day-001_bild_v1.png)", encoding="utf-8")
    front = json.dumps({"title": _clean(ALL), "agent": _clean(ATTACKS[0]), "created": "day-001", "kind": _clean(ALL)})
    works = "\n\n".join(_clean(text) for text in ATTACKS)
    pictures = " ".join(f"![{name}](day-001_{name}_v1.png)" for name in ("bild", "kaputt", "faul", "falsch"))
    body = f"---\n{front}\n---\n#### tief\n\n# hoch\n\n{pictures}\n\n{works}"
    (gallery / "day-001_angriff_v1.md").write_text(body, encoding="utf-8")
    paths = [
        f"gallery/bilder/{name}" for name in ("day-001_angriff_v1.md", "day-001_bild_v1.png", "link.png", ATTACKS[0])
    ]
    lines = [
        {
            "scene": number,
            "type": text,
            "time_of_day": text,
            "location": text,
            "participants": ["vera", text],
            "why": text,
            "premise": text,
            "actions": [{"agent": "vera", "text": text}],
            "dialogue": [{"agent": text, "text": text}, text, {"agent": 1, "text": ["a", text]}],
            "thoughts": [{"agent": "vera", "text": text}],
            "artifacts": [*paths, "../../etc/passwd", "/etc/passwd", "http://evil.example/x.png", "a\x00b"],
            **({"turns": _turns(text)} if number % 2 else {}),
        }
        for number, text in enumerate((*ATTACKS, ALL), 1)
    ]
    lines.append({"type": "SUMMARY", "summary": ALL, "highlights": [ALL, None], "open_threads": [ALL]})
    log = "".join(json.dumps(line) + "\n" for line in lines)
    layout.day_log(1).write_text(log, encoding="utf-8")
    _change(layout.agent("vera"), {"name": "Vera " + ALL, "mood": ALL, "current_task": ALL})
    node = {"id": "vera-900", "created": "day-001/scene-01", "type": "reflection", "depth": 1, "description": ALL}
    node |= {"importance": 9, "tags": [ALL], "evidence": ["vera-001", ALL], "metadata": {}}
    with layout.stream("vera").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(node) + "\n")
    persona = json.dumps(
        {"name": "x", "role": _clean(ALL), "archetype": _clean(ALL), "color": '"><script>', "home": _clean(ALL)}
    )
    layout.persona("vera").write_text(f"---\n{persona}\n---\n{works}\n", encoding="utf-8")
    for folder in (layout.layer_folder(SOUL), layout.layer_folder(DIARY), layout.layer_folder(RELATIONSHIPS)):
        folder.mkdir(exist_ok=True)
    layout.layer(SOUL, "vera").write_text(
        json.dumps({"beliefs": [_clean(ALL)], _clean(ATTACKS[0]): ["x"]}), encoding="utf-8"
    )
    layout.layer(DIARY, "vera").write_text(
        json.dumps({"day": 1, "text": ALL, "mood": ALL, "location": ALL}) + "\n", encoding="utf-8"
    )
    bond = {"relationship_type": ALL, "trust_level": 0.5, "rationale": ALL}
    layout.layer(RELATIONSHIPS, "vera").write_text(json.dumps({"emre": bond, ATTACKS[0]: bond}), encoding="utf-8")
    return layout


def _clean(text: str) -> str:
    """What can stand in a file of UTF-8 and in YAML at all."""
    return "".join(
        letter
        for letter in text
        if letter == "\n" or ((letter.isprintable() or ord(letter) > 0x2000) and letter not in "\ud800\ufffe")
    )


def _change(path: Path, values: dict[str, str]) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")
