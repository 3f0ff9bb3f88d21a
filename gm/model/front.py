"""The front matter of a persona, declared once: its values, and the record of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gm.base.config import kinds
from gm.base.config.layers import PERSONA_MODES
from gm.model.front_kinds import (
    AGE,
    BONDS,
    BY_NAME,
    DAYS,
    FILLED_TEXTS,
    LENSES,
    ONE_OR_MORE,
    RAG,
    STRIPPED_TEXT,
    STRIPPED_WORDS,
    TEXTS,
    UNKNOWN,
    VALUE,
    VOICE,
)
from gm.model.record import Key, Record, checked_records, optional_key, text_key

CALLED = "called"
UNTIL_NOW = "until_now"
OWN = "_"
"""Prefix of keys that belong to the author; gm neither shows nor checks them."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject a character likes to talk about."""

    tag: str
    words: str


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work a character can make."""

    task: str
    title: str = ""
    kind: str = "writing"
    tags: tuple[str, ...] = ()
    style_tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.task)


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of a persona; ``FRONT`` describes the attributes."""

    name: str = ""
    called: str = ""
    role: str = ""
    age: int | str = ""
    pronouns: str = ""
    color: str = ""
    home: str = ""
    archetype: str = ""
    description: str = ""
    background: str = ""
    traits: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    decision_style: str = ""
    communication: str = ""
    voice: tuple[str, ...] = ()
    wish: str = ""
    until_now: tuple[str, ...] = ()
    friends: Mapping[str, str] = field(default_factory=dict)
    quarrels: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    topics: tuple[Topic, ...] = ()
    works: tuple[Work, ...] = ()
    moods: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    insights: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    small_things: tuple[str, ...] = ()
    model: str = ""
    visits: tuple[int, ...] = ()
    mode: str = ""
    rag: object = None
    lenses: object = None

    def sentences(self, key: str) -> tuple[str, ...]:
        """Return the texts of a key that has several."""
        listed: tuple[str, ...] = getattr(self, key)
        return listed


TOPIC = Record(
    Topic,
    "a topic",
    Key("tag", STRIPPED_WORDS, "the tag of memories about it: lower case, hyphens for spaces", example="bone-towers"),
    Key("words", STRIPPED_WORDS, "how a sentence names it", example="the bone towers"),
    code=VALUE,
    closed=True,
    unknown=UNKNOWN,
)
WORK = Record(
    Work,
    "a work",
    Key(
        "task", STRIPPED_WORDS, "what the character does, as it would stand in a plan", example="Draw the first cistern"
    ),
    Key(
        "title", STRIPPED_TEXT, "the title of the finished piece; absent = the task", default="", example="Cistern One"
    ),
    Key(
        "kind",
        STRIPPED_WORDS,
        "the folder of the gallery that it belongs to, such as writing or design",
        default="writing",
        example="design",
    ),
    Key("tags", FILLED_TEXTS, "tags of the memories about it", default=(), example=["cisterns"]),
    Key("style_tags", FILLED_TEXTS, "tags of how it is made", default=(), example=["sparse"]),
    Key("notes", FILLED_TEXTS, "sentences that the piece is made of", default=(), example=["Forty steps lead down."]),
    code=VALUE,
    closed=True,
    unknown=UNKNOWN,
)


def _list(name: str, sentence: str, *example: str, kind: kinds.Kind = TEXTS) -> Key:
    return Key(name, kind, sentence, default=(), null=True, example=list(example))


_WHO = (
    text_key("name", "the full name; absent = made of the name of the file", "Vera Lindqvist"),
    Key(
        CALLED,
        STRIPPED_TEXT,
        "what others call the character; absent = a nickname in quotation marks in the name, else its first word that "
        "is not a title, with an epithet before it (Old Pell), or the full name if another has the same first word",
        default="",
        null=True,
        example="Vera",
    ),
    text_key("role", "what the character is or does, in a few words; everyone sees it", "Concept artist"),
    optional_key("age", AGE, "the age in years; the character's own prompt shows it", 41),
    text_key("pronouns", "the pronouns; prompts and pages show them", "she/her"),
    optional_key(
        "color",
        kinds.form('a colour in quotes: "#2f6b5e"', "^#[0-9a-fA-F]{6}$"),
        "the colour of the character on pages and in books",
        "#2f6b5e",
    ),
    text_key("home", "the id of a place in gm.yaml; the character starts its days there and goes back to it", "studio"),
    text_key(
        "archetype",
        "one sentence that tells who the character is; pages, books and what others know begin with it",
        "A former bookkeeper who paints what is missing.",
    ),
)
_INSIDE = (
    text_key("description", "how others would describe the character; a seed memory of all", "Tall, always late."),
    text_key("background", "where the character comes from; a seed memory of its own", "She grew up on a lighthouse."),
    _list("traits", "traits of character; seed memories", "patient", "proud", kind=ONE_OR_MORE),
    _list("skills", "what the character can do; seed memories, subjects to talk about", "etching", kind=ONE_OR_MORE),
    _list(
        "values", "what matters to the character; its own prompt shows them", "Finish what you begin", kind=ONE_OR_MORE
    ),
    text_key(
        "decision_style", "how the character decides, as others see it; its own prompt shows it", "She sleeps on it."
    ),
    text_key(
        "communication",
        "how the character talks, as others hear it; its own prompt shows it",
        "Short sentences, long pauses.",
    ),
    optional_key(
        "voice",
        VOICE,
        "how the character talks and writes, told to itself; its own prompt shows the texts one after the other,"
        " without their names, which are free",
        {"sentences": "You speak in short sentences.", "humour": "You never explain a joke."},
    ),
    text_key("wish", "what the character wishes for; pages show it", "To stay somewhere once."),
    _list(
        UNTIL_NOW,
        "sentences of the prose, word for word, that hold until the character has a page of its own in state/now/",
        "You are looking for a title.",
    ),
)
_OTHERS = (
    optional_key(
        "friends",
        BONDS,
        "ids of characters, each with a text about the friendship; they meet more often",
        {"emre": "He asks twice."},
    ),
    optional_key(
        "quarrels",
        BONDS,
        "ids of characters, each with a text about the quarrel; they meet more often",
        {"leo": "She cut my best sentence."},
    ),
    optional_key(
        "roles",
        BY_NAME,
        "parts that the character plays, by the name of a scene type in lower case; prompts of such scenes show them",
        {"dnd": "Pim, a gnome who steals."},
    ),
)
_REHEARSED = (
    Key(
        "topics",
        checked_records(TOPIC, "a list of topics"),
        "subjects that the character likes to talk about",
        default=(),
        null=True,
        example=[{"tag": "bone-towers", "words": "the bone towers"}],
    ),
    Key(
        "works",
        checked_records(WORK, "a list of works"),
        "pieces that the character can make",
        default=(),
        null=True,
        example=[{"task": "Draw the first cistern", "kind": "design", "notes": ["Forty steps lead down."]}],
    ),
    _list("moods", "moods; a new world begins with the first one, with any model", "calm", "curious"),
    _list("lines", "sentences to say; pages show them as samples of speech", "Nobody asked me."),
    _list("questions", "questions to ask", "Who was here before us?"),
    _list("answers", "sentences to answer with", "Not today."),
    _list("thoughts", "thoughts that are not said", "I should have called."),
    _list("insights", "what the character comes to understand", "Waiting is work."),
    _list("habits", "what the character does with its hands, without a subject", "sharpens a pencil"),
    _list("small_things", "small things that the character notices", "The kettle has a new dent."),
)
_PLAYED = (
    text_key(
        "model",
        "the model that plays the character, in place of the one in gm.yaml; mailbox = a person plays it, in every run",
        "claude-sonnet-4-5",
    ),
    Key(
        "visits",
        DAYS,
        "the only story days on which the character is there, as a guest; absent = all",
        default=(),
        null=True,
        example=[4],
    ),
    optional_key(
        "mode",
        kinds.word(*PERSONA_MODES),
        "how the character knows who it is, in place of persona.mode in gm.yaml: inject (from the prompt) or discover "
        "(it asks its memory)",
        "discover",
    ),
    optional_key(
        "rag", RAG, "which memories come to mind in scenes, in place of rag in gm.yaml; false = none", {"limit": 3}
    ),
    optional_key(
        "lenses",
        LENSES,
        "how the character bends its memories",
        [{"at": "retrieval", "when": {"tags": ["leo"]}, "add": "I forgave her."}],
    ),
)
GROUPS: Mapping[str, tuple[Key, ...]] = {
    "Who the character is": _WHO,
    "What it is like": _INSIDE,
    "Others": _OTHERS,
    "What the rehearsal says": _REHEARSED,
    "How it is played": _PLAYED,
}
"""The keys by subject, under the headings of ``docs/reference/personas.md``."""

FRONT = Record(
    Front,
    "a persona",
    *(key for keys in GROUPS.values() for key in keys),
    code=VALUE,
    closed=True,
    unknown=UNKNOWN,
    own=OWN,
)
"""The front matter of ``state/personas/<id>.md``; all keys are optional."""


NO_FRONT = Front()
