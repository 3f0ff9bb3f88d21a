"""An agent of TinyTroupe, a persona of generative agents, and a chat of SillyTavern."""

from __future__ import annotations

from typing import Any

from tests.api.imports.sources import lines

WOLF: dict[str, Any] = {
    "type": "TinyPerson",
    "persona": {
        "name": "Friedrich Wolf",
        "age": 35,
        "gender": "Male",
        "nationality": "German",
        "residence": "Berlin, Germany",
        "education": "Technical University of Berlin.",
        "long_term_goals": ["To build one honest house."],
        "occupation": {"title": "Architect", "organization": "Awesome Inc.", "description": "You draw standard flats."},
        "style": "Speaks loudly.",
        "personality": {
            "traits": ["You are fast paced.", "You get angry easily."],
            "big_five": {"openness": "High. Very curious."},
        },
        "preferences": {"interests": ["Travel"], "likes": ["Local beer."], "dislikes": ["Salads."]},
        "skills": ["You know AutoCAD.", "You can't swim."],
        "beliefs": ["Quality comes before price."],
        "behaviors": {"general": ["Taps his pen."], "routines": {"morning": ["Wakes at 6:30."]}},
        "health": "Occasional migraines.",
        "relationships": [{"name": "Richard", "description": "your colleague"}, {"name": "John"}],
        "other_facts": ["You grew up in a small town in Bavaria."],
        "favourite_tree": "the linden",
    },
}
MIRA: dict[str, Any] = {
    "type": "TinyPerson",
    "persona": {
        "name": "Mira Öztürk",
        "age": "Mitte vierzig",
        "gender": "weiblich",
        "occupation": "Lotsin",
        "beliefs": ["Der Fluss behält nichts."],
        "health": "Kurzsichtig.",
        "relationships": {"Jannis": "dein Bruder"},
        "personality_traits": [{"trait": "Du lachst zu früh."}],
    },
}


def with_memory(*items: object, store: str = "episodic_memory") -> dict[str, Any]:
    return {**MIRA, store: {"memory": list(items), "memories": list(items)}}


HOME = "personas/Isabella Rodriguez/bootstrap_memory"
SCRATCH: dict[str, Any] = {
    "vision_r": 8,
    "curr_time": "February 13, 2023, 00:00:00",
    "curr_tile": [73, 14],
    "daily_plan_req": "Isabella opens Hobbs Cafe at 8am every day.",
    "name": "Isabella Rodriguez",
    "first_name": "Isabella",
    "age": 34,
    "innate": "friendly, outgoing, hospitable",
    "learned": "Isabella owns Hobbs Cafe.",
    "currently": "Status: Isabella is planning\na party. She needs paper hearts.",
    "lifestyle": "Isabella goes to bed around 11pm.",
    "living_area": "the Ville:Isabella Rodriguez's apartment:main room",
    "daily_req": ["open the cafe"],
    "f_daily_schedule": [["sleeping", 360]],
    "recency_decay": 0.995,
    "act_address": None,
}
TREE = {
    "the Ville": {
        "Hobbs Cafe": {"cafe": ["piano", "counter"]},
        "Isabella Rodriguez's apartment": {"main room": ["bed"], "bathroom": []},
    }
}
TABLE = (
    "Name,Whisper\n"
    '"Isabella Rodriguez","You keep a secret recipe; You and Maria Lopez have known each other for 2 years;; '
    'You owe Maria Lopez a favour"\n'
    'Klaus Mueller,"You study."\n'
)


def node(kind: str, description: str, **others: object) -> dict[str, object]:
    return {
        "node_count": 1,
        "type": kind,
        "depth": 0,
        "created": "2023-02-13 20:00:00",
        "expiration": None,
        "subject": "Isabella Rodriguez",
        "predicate": "is",
        "object": "something",
        "description": description,
        "embedding_key": description,
        "poignancy": 4,
        "keywords": [],
        "filling": [],
        **others,
    }


NODES = {
    "node_10": node("thought", "It will be a good party", filling=["node_2", "node_9"], poignancy=11),
    "node_9": node("thought", "Maria is a friend", filling=["node_3", "node_1", "node_2"], poignancy=8),
    "node_4": node("event", "Isabella Rodriguez is cutting hearts", poignancy=6),
    "node_3": node(
        "chat",
        "conversing about the party.",
        object="Maria Lopez",
        keywords=["Isabella Rodriguez", "Maria Lopez", "the Ville:Hobbs Cafe:cafe"],
        filling=[["Isabella Rodriguez", "Will you help?"], ["Maria Lopez", "I would love to!"], ["odd"]],
    ),
    "node_2": node("event", "Isabella Rodriguez is cutting hearts", poignancy=3, keywords=["paper hearts", "is"]),
    "node_1": node("event", "bed is idle", object="idle", poignancy=1),
}


def persona(home: str = HOME, **scratch: object) -> dict[str, object]:
    return {
        f"{home}/scratch.json": {**SCRATCH, **scratch},
        f"{home}/spatial_memory.json": TREE,
        f"{home}/associative_memory/nodes.json": NODES,
    }


HEADER = {"user_name": "You", "character_name": "Seraphina", "create_date": "2024-6-1", "chat_metadata": {"x": 1}}
GROUP = {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}


def by(name: str, mes: object, **others: object) -> dict[str, object]:
    plain = {"name": name, "is_user": False, "is_system": False, "send_date": "June 1, 2024", "mes": mes, "extra": {}}
    return {**plain, **others}


def user(mes: object) -> dict[str, object]:
    return by("You", mes, is_user=True)


CHAT = lines(
    HEADER,
    by("Seraphina", "*smiles* You are safe here, {{user}}. I am {{char}}.", swipes=["No!", "Go away!"], swipe_id=1),
    user("Who are you?"),
    by("Seraphina", "I guard\nthis forest."),
    by("SillyTavern System", "The tokens ran out.", is_system=True),
    user("Thank you."),
    user("Good night."),
    by("Seraphina", "Rest now, the wolves will not come."),
)
