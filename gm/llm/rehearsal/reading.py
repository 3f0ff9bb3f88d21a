"""Reads the facts of a request tolerantly: a persona may lack any key, a hand-made one may hold anything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gm.llm.rehearsal.facts import Cue, Line, Made, Open, Paper, Person, Persona, Read, Remembered, Said, Setting, Work
from gm.llm.rehearsal.phrases import load_pack

_LEAD = re.compile(r"\A\w+(?: \w+)?: ")


def parse_cue(facts: Mapping[str, object]) -> Cue:
    """Read the facts of a request. Missing or malformed parts become empty ones."""
    agent = _map(facts.get("agent"))
    language = _str(facts.get("language"))
    people, others = _people(facts.get("people")), _people(facts.get("others"))
    return Cue(
        kind=_str(facts.get("kind")) or "scene",
        seed=str(facts.get("seed", 1)) + _str(_map(facts.get("scene")).get("note")),  # another take, other dice
        language=language,
        id=_str(agent.get("id")),
        name=_call_name(agent),
        index=_int(agent.get("index"), 0),
        count=max(1, _int(agent.get("count"), 1)),
        task=_str(agent.get("current_task")),
        plan=_plan(agent.get("today_plan")),
        persona=_persona(_map(agent.get("persona"))),
        at=_setting(_map(facts.get("scene")), language),
        others=others,
        people=people,
        names={person.id: person.name for person in (*people, *others)},
        turn=max(1, _int(facts.get("turn"), 1)),
        turns=max(1, _int(facts.get("turns"), 1)),
        dialogue=tuple(_said(_map(item)) for item in _list(facts.get("dialogue"))),
        wants_plan=bool(facts.get("wants_plan")),
        closing=facts.get("closing") is True,
        part=_str(agent.get("part")),
        last_turn=last if isinstance(last := facts.get("last_turn"), bool) else None,
        replan=tuple(event for item in _list(facts.get("replan")) if (event := _event(item, language))),
        threads=tuple(thread for item in _list(facts.get("threads")) if (thread := _open(_map(item))).id),
        ahead=tuple(
            (_int(day.get("day"), 0), _str(day.get("weekday"))) for day in map(_map, _list(facts.get("ahead")))
        ),
        brief=_str(facts.get("brief")),
        artifacts=tuple(made for item in _list(facts.get("artifacts")) if (made := _made(_map(item))).title),
        places=strings(facts.get("places")),
        memories=tuple([_remembered(_map(item)) for item in _list(facts.get("memories"))]),
        kept=strings(facts.get("kept")),
        insights=_span(facts.get("insights")),
        exchange=_map(facts.get("exchange")),
        soul=strings(facts["soul"]) if "soul" in facts else None,
        page=_paper(_map(facts["page"])) if "page" in facts else None,
        regards=_regards(facts["regards"]) if "regards" in facts else None,
        met=tuple(name for item in _list(facts.get("met")) for name in strings(_map(item).get("others"))),
    )


def _paper(page: Mapping[str, object]) -> Paper:
    lines = (_map(item) for item in _list(page.get("lines")))
    return Paper(
        tuple(Line(_str(item.get("key")), _str(item.get("text"))) for item in lines),
        max(1, _int(page.get("room"), 12)),
        _str(page.get("lesson")),
    )


def _persona(front: Mapping[str, object]) -> Persona:
    return Persona(
        words={key: value for key, value in front.items() if isinstance(value, list)},
        topics=_topics(front.get("topics")),
        works=tuple(work for item in _list(front.get("works")) if (work := _work(_map(item))).task),
        close=_words_by_id(front.get("friends")),
        far=_words_by_id(front.get("quarrels")),
    )


def _event(item: object, language: str) -> str:
    """Name what happened since the last plan: the title of a piece of work, or the brief by its common name."""
    values = _map(item)
    if values.get("kind") == "brief":
        return _brief_name(language)
    return _str(values.get("title")) or _str(values.get("text")) or _str(item)


def _brief_name(language: str) -> str:
    return load_pack(language)["brief_name"][0]


def _plan(value: object) -> tuple[str, ...]:
    """Read today's plan without what is done, and without the words in front of an item (``OFFEN: …``)."""
    return tuple(_LEAD.sub("", item) for item in strings(value) if not item.startswith("DONE"))


def _setting(scene: Mapping[str, object], language: str) -> Setting:
    topic = _brief_name(language) if scene.get("topic_kind") == "brief" else _str(scene.get("topic"))
    return Setting(
        day=_int(scene.get("day"), 1),
        scene=_int(scene.get("scene"), 1),
        weekday=_str(scene.get("weekday")),
        type=_str(scene.get("type")),
        play=_str(scene.get("play")) or "parallel",
        place=_str(scene.get("place")),
        topic=topic,
        premise=_str(scene.get("premise")),
        starter=_str(scene.get("starter")),
        leader=_str(scene.get("leader")),
        is_game=scene.get("is_game") is True,
        read=tuple(read for item in _list(scene.get("passages")) if (read := _read(_map(item))).place),
    )


def _regards(value: object) -> dict[str, tuple[str, float]]:
    items = {name: _map(item) for name, item in _map(value).items()}
    return {name: (_str(item.get("type")), _number(item.get("trust"))) for name, item in items.items()}


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _str(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _int(value: object, default: int) -> int:
    return int(value) if isinstance(value, (int, float)) else default


def strings(value: object) -> tuple[str, ...]:
    """Read a list of texts; whatever is no text in it is left out."""
    return tuple([item for item in value if isinstance(item, str) and item]) if isinstance(value, (list, tuple)) else ()


def _span(value: object) -> tuple[int, int]:
    numbers = [item for item in _list(value) if isinstance(item, int)]
    return (numbers[0], max(numbers)) if len(numbers) == 2 else (3, 5)


def _call_name(item: Mapping[str, object]) -> str:
    return _str(item.get("call_name")) or (_str(item.get("name")) or _str(item.get("id")) or "?").split()[0]


def _people(value: object) -> tuple[Person, ...]:
    found = (_map(item) for item in _list(value))
    return tuple(Person(_str(item.get("id")), _call_name(item)) for item in found if _str(item.get("id")))


def _topics(value: object) -> dict[str, str]:
    found = (_map(item) for item in _list(value))
    return {_str(item.get("tag")): _str(item.get("words")) for item in found if _str(item.get("words"))}


def _words_by_id(value: object) -> dict[str, str]:
    return {str(key): _str(text) for key, text in _map(value).items()}


def _work(item: Mapping[str, object]) -> Work:
    task = _str(item.get("task"))
    return Work(
        task=task,
        title=_str(item.get("title")) or task,
        kind=_str(item.get("kind")) or "writing",
        tags=strings(item.get("tags")),
        style_tags=strings(item.get("style_tags")),
        notes=strings(item.get("notes")),
    )


def _said(item: Mapping[str, object]) -> Said:
    agent = _str(item.get("agent"))
    return Said(
        agent,
        _call_name(item) if item.get("name") else agent,
        _str(item.get("text")),
        _str(item.get("to")) or None,
    )


def _open(item: Mapping[str, object]) -> Open:
    due = item.get("due")
    return Open(
        id=_str(item.get("id")),
        kind=_str(item.get("kind")),
        mine=bool(item.get("mine")),
        by=_str(item.get("by")),
        to=strings(item.get("to")),
        text=_str(item.get("text")),
        since=_int(item.get("since"), 0),
        due=due if isinstance(due, int) else None,
    )


def _made(item: Mapping[str, object]) -> Made:
    return Made(_str(item.get("title")), _str(item.get("maker")))


def _read(item: Mapping[str, object]) -> Read:
    return Read(_str(item.get("title")), _str(item.get("place")))


def _remembered(item: Mapping[str, object]) -> Remembered:
    get = item.get
    return Remembered(
        str(get("id") or ""),
        str(get("type") or ""),
        _int(get("depth"), 0),
        str(get("description") or "").strip(),
        _int(get("importance"), 0),
        strings(get("tags")),
    )
