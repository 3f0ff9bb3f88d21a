"""Reflections, their questions, summaries, diary entries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gm.base.untyped import objects_in
from gm.llm.rehearsal.arrange import report_day
from gm.llm.rehearsal.facts import INTERVIEW, TRAP, Cue
from gm.llm.rehearsal.quoting import in_quotes, is_nested, to_slot, to_tag
from gm.llm.rehearsal.remember import make_tags
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.llm.rehearsal.works import DULL, find_finished
from gm.memory.search import rank_texts
from gm.memory.share import open_nodes
from gm.model.interview import PLAN
from gm.model.node import Node

Cluster = tuple[str, list[Node]]
MOST_THEMES = 3
THEME_MEMORIES = 3  # memories that a theme is told from
KEPT_CHARACTERS = 150
MOST_RECALLED = 2
LEAST_SHARE = 0.5
"""Minimum score of a further memory in an answer, as a share of the best one."""
LONGEST_QUOTE = 220
MOST_WORKED_ON = 20
"""Words of a task that an answer quotes, at most."""


def compose_reflection(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose an evening's insights; each cites its memories."""
    low, high = cue.world.settings.reflection.insights
    nodes = [node for node in cue.memories if node.id]
    wanted = max(1, min(high, max(low, len(nodes) // 6)))
    chosen = find_clusters(cue, [node for node in nodes if node.depth == 0])[:wanted]
    lived = [node for node in nodes if node.depth == 0] or nodes
    spare = [node for node in lived if not any(node in members for _, members in chosen)] or lived
    while len(chosen) < wanted:
        chosen.append(("", spare[len(chosen) % max(1, len(spare)) :][:2] or lived[:2]))
    chosen = _with_depth(chosen, nodes)
    return {
        "insights": [_insight(cue, voice, tag, members) for tag, members in chosen],
        "thoughts": voice.thought(_fallback_about(cue)),
        "mood": voice.own("moods") or voice.phrase("mood"),
    }


def find_clusters(cue: Cue, nodes: list[Node]) -> list[Cluster]:
    """Group memories by tag, heaviest first; each is in one cluster."""
    by_tag: dict[str, list[Node]] = {}
    dull = {*DULL, *cue.world.settings.places}
    for node in nodes:
        for tag in dict.fromkeys(node.tags):
            if tag not in dull:
                by_tag.setdefault(tag, []).append(node)
    used: set[str] = set()
    found: list[Cluster] = []
    for tag in sorted(by_tag, key=lambda tag: (-_weight(cue, tag, by_tag[tag]), tag)):
        members = [node for node in by_tag[tag] if node.id not in used]
        if len(members) >= 2:
            kept = sorted(sorted(members, key=lambda node: -node.importance)[:4], key=lambda node: node.id)
            used.update(node.id for node in kept)
            found.append((tag, kept))
    return found


def _weight(cue: Cue, tag: str, members: list[Node]) -> int:
    known = 10 if tag in cue.topics or tag in cue.names else 0
    return known + sum(sorted((node.importance for node in members), reverse=True)[:4])


def _with_depth(chosen: list[Cluster], nodes: list[Node]) -> list[Cluster]:
    deep = [node for node in nodes if node.depth >= 1]
    if not deep or not chosen or any(node.depth >= 1 for _, members in chosen for node in members):
        return chosen
    tag, members = next(((t, m) for t, m in chosen if any(t in node.tags for node in deep)), chosen[0])
    lowest = min(node.depth for node in deep)
    fitting = next((n for n in reversed(deep) if tag in n.tags and n.depth == lowest), None)
    fitting = fitting or next(n for n in reversed(deep) if n.depth == lowest)
    place = chosen.index((tag, members))
    return [*chosen[:place], (tag, [fitting, *members[:3]]), *chosen[place + 1 :]]


def _insight(cue: Cue, voice: Voice, tag: str, members: list[Node]) -> dict[str, object]:
    text = _word_insight(cue, voice, tag, members)
    people = [one for node in members for one in node.tags if one in cue.names]
    ids = list(dict.fromkeys(node.id for node in members))
    weight = (
        voice.dice.choice((6, 7, 7, 8, 9)) if any(node.depth for node in members) else voice.dice.choice((6, 7, 7, 8))
    )
    return {
        "description": text,
        "importance": weight,
        "tags": make_tags(cue, [tag] if tag else [], people[:2], ["insight"]),
        "evidence": ids[:4],
    }


def _word_insight(cue: Cue, voice: Voice, tag: str, members: list[Node]) -> str:
    name = cue.names.get(tag, "")
    about = voice.shared("with_person", name=name) if name else find_about(cue, voice, tag, members)
    own = voice.own("insights", about)
    if not own:
        return voice.insight(about)
    tie = voice.phrase("insight_person", about=name) if name else voice.phrase("insight_tie", about=about)
    return f"{tie} {own}"


def find_about(cue: Cue, voice: Voice, tag: str, members: list[Node]) -> str:
    """Return a cluster's subject."""
    if tag in cue.topics:
        return voice.topic(cue.topics[tag])
    if tag:
        return voice.topic(_spell_tag(cue, voice, tag, members) or tag.replace("-", " "))
    return voice.topic(members[0].description if members else _fallback_about(cue))


def _spell_tag(cue: Cue, voice: Voice, tag: str, members: list[Node]) -> str:
    spans = [span for node in (*members, *cue.memories) for span in in_quotes(node.description)]
    return next((text for text in (*spans, *voice.matters.subjects) if to_tag(text) == tag), "")


def _fallback_about(cue: Cue) -> str:
    return to_slot(cue.task) or to_slot(cue.plan[0] if cue.plan else "") or cue.name


def compose_questions(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose questions for the heaviest clusters, then for what lies ahead."""
    nodes = [node for node in cue.memories if node.id]
    topics = [cue.names.get(tag) or find_about(cue, voice, tag, members) for tag, members in find_clusters(cue, nodes)]
    topics += [voice.topic(text) for text in (cue.task, *cue.plan, cue.name) if text]
    return {
        "questions": [voice.phrase("wonder", about=about) for about in list(dict.fromkeys(topics))[: cue.questions]]
    }


def number_insights(reply: Mapping[str, object], asked: Sequence[Sequence[str]]) -> dict[str, object]:
    """Add to insights the numbers of the questions that their memories answer."""
    found = [set(ids) for ids in asked]
    numbered = [
        {**insight, "questions": _numbers(set(insight["evidence"]), found)}
        for insight in objects_in(reply.get("insights"))
    ]
    return {**reply, "insights": numbered}


def _numbers(evidence: set[str], found: list[set[str]]) -> list[int]:
    return [number for number, ids in enumerate(found, 1) if ids & evidence] or [1]


def compose_summary(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose themes that cite their memories."""
    nodes = [node for node in cue.memories if node.id]
    wanted = max(1, min(MOST_THEMES, len(nodes) // 15 + 1))
    chosen = find_clusters(cue, nodes)[:wanted] or [("", nodes)]
    return {"themes": [_theme(cue, voice, tag, members) for tag, members in chosen]}


def _theme(cue: Cue, voice: Voice, tag: str, members: list[Node]) -> dict[str, object]:
    name = cue.names.get(tag, "")
    about = name or find_about(cue, voice, tag, members)
    named = name or voice.shared("era_topic", about=about)
    best = sorted(
        sorted(members, key=lambda node: (-node.importance, node.id))[:THEME_MEMORIES], key=lambda node: node.id
    )
    sentences = [to_slot(_without_lead(node), KEPT_CHARACTERS) for node in best]
    people = [one for node in best for one in node.tags if one in cue.names]
    return {
        "title": to_slot(about, 60),
        "text": f"{voice.phrase('era', about=named)} {' '.join(map(_close_sentence, sentences))}",
        "importance": max(node.importance for node in best),
        "tags": make_tags(cue, [tag] if tag else [], people[:2]),
        "evidence": [node.id for node in best],
    }


def _without_lead(node: Node) -> str:
    lead, colon, rest = node.description.partition(": ")
    return rest if colon and node.depth and len(lead) < len(rest) else node.description


def _close_sentence(text: str) -> str:
    return text if text.endswith("…") else f"{text}."


def compose_recollection(cue: Cue, voice: Voice) -> tuple[str, tuple[str, ...]]:
    """Answer a question out of scene with what the character remembers, or say that it knows nothing.

    In an interview only memories answer; where none is about the question, the most important short one does, and what
    the character is working on.

    Returns:
        The answer, and what it rests on: ids of the memories in it, and the quoted task.
    """
    names = cue.world.call_name
    promises = [
        voice.phrase("promised", other=", ".join(map(names, thread.to)), quote=to_slot(thread.text, LONGEST_QUOTE))
        for thread in cue.threads
        if thread.kind == "promise" and thread.by == cue.id and thread.to and cue.kind != INTERVIEW
    ]
    nodes = tuple(node for node in (*cue.context.in_mind, *cue.memories) if not is_nested(node.description))
    lived = {" ".join(node.description.split()): node.id for node in reversed(nodes)}
    texts = [*promises, *dict.fromkeys(" ".join(node.description.split()) for node in nodes)]
    asking = load_pack(cue.language)["asking"]
    about = " ".join(word for word in re.findall(r"[\w'’-]+", cue.scene.topic) if word.casefold() not in asking)
    ranked = [] if cue.kind == TRAP else rank_texts(about, texts, cue.language)[:MOST_RECALLED]
    best = [texts[place] for place, score in ranked if score >= LEAST_SHARE * ranked[0][1]]
    short = [node for node in nodes if len(node.description) <= LONGEST_QUOTE]
    task = ""
    if not best and cue.kind == INTERVIEW and short:
        best = [" ".join(max(short, key=lambda node: node.importance).description.split())]
        task = " ".join(cue.task.split()[:MOST_WORKED_ON])
    if not best:
        return voice.phrase("nothing_recalled"), ()
    said = voice.phrase("recalled", memory=" ".join(text if text[-1] in ".!?…”«" else f"{text}." for text in best))
    evidence = tuple(filter(None, (lived.get(text) for text in best)))
    if task:
        said, evidence = (
            f"{said} {voice.phrase('state', task=to_slot(task, len(task)))}",
            (*evidence, f"{PLAN}: {task}"),
        )
    return said, evidence


def compose_diary(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose an evening's entry."""
    met = [name for others in cue.met or () for name in others]
    other = next((name for name in reversed(met) if name in cue.names), "")
    opening = voice.phrase("diary_person", other=cue.names[other]) if other else voice.phrase("diary_alone")
    lived = _find_lived(cue)
    task = to_slot(cue.task or (cue.plan[0] if cue.plan else ""))
    parts = (
        opening,
        lived.description.strip() if lived else "",
        voice.own("thoughts", lived.description if lived else cue.task),
        voice.phrase("diary_work", task=task) if task else "",
        voice.phrase("diary_end"),
    )
    return {
        "text": " ".join(part for part in parts if part),
        "action": f"{cue.name} {gesture.rstrip('.')}." if (gesture := voice.gesture()) else "",
        "mood": voice.own("moods") or voice.phrase("mood"),
        "tags": make_tags(cue, list(lived.tags[:2]) if lived else [], [other] if other else [], []),
        **({"plan_status": report_day(cue, voice, find_finished(cue, voice))} if cue.plans else {}),
    }


def _find_lived(cue: Cue) -> Node | None:
    known = open_nodes(cue.memories[-8:])
    recent = [node for node in known if node.type == "observation" and len(node.description) <= LONGEST_QUOTE]
    return max(recent, key=lambda node: node.importance, default=None)
