"""A memory node: one line of a memory stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from gm.base.config import kinds
from gm.base.config.kinds import Kind
from gm.base.untyped import objects_in, text_at, texts_in
from gm.model.calendar import MOMENT, SceneRef, moment_of, render_day
from gm.model.ids import agent_of
from gm.model.record import SKIP, Key, Record

NodeType = Literal["observation", "reflection", "plan", "artifact", "conversation"]
NODE_TYPES: tuple[NodeType, ...] = get_args(NodeType)
Tier = Literal["pinned", "critical", "important", "normal", "low"]
TIERS: tuple[Tier, ...] = get_args(Tier)
NORMAL: Tier = "normal"
TOOL, BY_RULE, BY_GAME_MASTER = "tool", "heuristic", "gm"
"""A value of ``source``, and two of ``importance_by``."""
FinerKind = Literal["emotional", "procedural", "semantic"]
FINER_KINDS: tuple[FinerKind, ...] = get_args(FinerKind)
MADE_KINDS = (
    *("asked", "copied", "dialogue", "gifted", "goal_progress", "imported", "lesson", "plan", "plan-left", "replan"),
    *("summary", "association", "brief", "bystander", "feedback", "heard", "link", "missed", "read", *FINER_KINDS),
)
"""Values of ``kind`` that gm writes."""
ASKED, COPIED, DIALOGUE, GIFTED, GOAL_PROGRESS, IMPORTED, LESSON, PLAN, PLAN_LEFT, REPLAN, SUMMARY_KIND, *_ = MADE_KINDS
PERSON_KEYS = ("about", "with", "partner", "speaker", "maker")
DATE_KEYS = ("session_date", "date", "when", "datetime", "timestamp")


def _or(one: Kind, other: Kind) -> Kind:
    expected = f"{one.expected} or {other.expected}"
    return Kind(expected, lambda value: one.fits(value) or other.fits(value), {"anyOf": [one.schema, other.schema]})


_TEXT = kinds.text
_NUMBER = Kind("a number", kinds.is_number, {"type": "number"})
_LIST = Kind("a list", lambda value: isinstance(value, list), {"type": "array"})
_NAMES, _DATE = _or(_TEXT, _LIST), _or(_TEXT, _NUMBER)
_DETAILS = (
    ("kind", _TEXT, f"a finer kind: your own word, or one of gm: {', '.join(MADE_KINDS)}"),
    ("title", _TEXT, "of a piece or summary"),
    ("artifact_path", _TEXT, "the piece that it is about"),
    ("style_tags", _LIST, "of the piece"),
    ("audience", _LIST, "who may know of the piece"),
    ("replaces", _NAMES, "the piece or memories that it stands for"),
    ("with", _NAMES, "partners of a talk; first summary made with it"),
    ("location", _TEXT, "of a talk"),
    ("lines", _or(_NUMBER, _LIST), "of a talk, how many; of the library, first and last"),
    ("exchange", _LIST, "lines of a talk, each with agent and text"),
    ("valence", _NUMBER, "how a talk felt, from -1 to 1"),
    ("facets", kinds.mapping, "from which importance was weighed"),
    ("importance_by", _TEXT, "gm = the Game Master; else importance.missing"),
    ("importance_given", _NUMBER, "before reflection.min_importance"),
    ("questions", _LIST, "that an insight answers"),
    ("from", _TEXT, "beginning of a summary; who asked"),
    ("to", _TEXT, "end of a summary; who was addressed"),
    ("speaker", _TEXT, "of an utterance"),
    ("turn", _NUMBER, "scene of an utterance, of all"),
    ("items", _LIST, "of a plan, with details"),
    ("alone", kinds.flag, "whether a plan wants no company"),
    ("instead", _LIST, "items that a changed plan leaves out"),
    ("post", _TEXT, "of the board"),
    ("thread", _TEXT, "the missed appointment"),
    ("source", _TEXT, "tool = a memory tool; else a text of the library"),
    ("links", _LIST, "ids of two memories"),
    ("origin", _TEXT, "first memory of a chain of copies"),
    ("lived", _TEXT, "when a copied memory was lived"),
    ("details", kinds.mapping, "metadata of the copied memory"),
    ("original", _TEXT, "description before a lens"),
    ("original_importance", _NUMBER, "before a lens"),
    ("original_valence", _NUMBER, "before a lens"),
    ("lens", _LIST, "names of the lenses"),
    ("gift", _TEXT, "digest of a seed memory; one that it does not fit is by hand and stays"),
    ("preseeded", kinds.flag, "of seeds.lessons"),
    ("type", _TEXT, "of a seed memory"),
    ("category", _TEXT, "of a seed memory"),
    ("about", _NAMES, "whom or what it is about"),
    ("canonical", _LIST, "questions or words that find it"),
    ("entry", _NUMBER, "of an imported book"),
    ("migrated_from", _TEXT, "page of a lesson"),
    ("key", _TEXT, "of the lesson"),
    ("goal", _TEXT, "id of the goal"),
    ("event", _TEXT, "of the goal"),
    *((name, _NAMES, "whom recall finds it by") for name in ("partner", "maker")),
    *((name, _DATE, "by which recall finds it") for name in ("session", *DATE_KEYS)),
)
_COPY = replace(_TEXT, expected="the id of a memory")
METADATA: Record[dict[str, object]] = Record(
    dict,
    "metadata",
    *(Key(name, kind, sentence, SKIP) for name, kind, sentence in _DETAILS),
    Key("copied_from", _COPY, "write an id like vera-042", SKIP, code="copy-source"),
    Key("tier", kinds.word(*TIERS), "any other word counts as normal", SKIP, code="tier-unknown"),
    code="metadata-type",
)
"""Nothing is read through it: metadata are a plain mapping."""


@dataclass(frozen=True, slots=True)
class Node:
    """One memory; ``NODE`` describes the attributes."""

    id: str
    created: str
    type: NodeType
    depth: int
    description: str
    importance: int
    tags: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def agent(self) -> str:
        """Whose memory it is, by its id."""
        return agent_of(self.id)

    @property
    def piece(self) -> str | None:
        """Path of the piece that it is about."""
        path = self.metadata.get("artifact_path")
        return path if isinstance(path, str) else None

    @property
    def kind(self) -> str:
        """Its finer kind."""
        return text_at(self.metadata, "kind")

    @property
    def title(self) -> str:
        """Title of a piece or summary."""
        return text_at(self.metadata, "title")

    @property
    def about(self) -> str:
        """Whom or what it is about."""
        return text_at(self.metadata, "about")

    @property
    def replaces(self) -> str:
        """The piece that its own piece replaces."""
        return text_at(self.metadata, "replaces")

    @property
    def post(self) -> str:
        """The post of the board that was heard."""
        return text_at(self.metadata, "post")

    @property
    def source(self) -> str:
        """``TOOL``, or the text of the library that was read."""
        return text_at(self.metadata, "source")

    @property
    def importance_by(self) -> str:
        """Who rated it, if not the character."""
        return text_at(self.metadata, "importance_by")

    @property
    def original(self) -> str:
        """Description before a lens bent it."""
        return text_at(self.metadata, "original")

    @property
    def canonical(self) -> tuple[str, ...]:
        """Questions or words that find it."""
        return texts_in(self.metadata.get("canonical"))

    @property
    def said(self) -> tuple[tuple[str, str], ...]:
        """Speaker and text of each line of its exchange."""
        lines = ((text_at(item, "agent"), text_at(item, "text")) for item in objects_in(self.metadata.get("exchange")))
        return tuple((agent, text) for agent, text in lines if agent and text.strip())

    @property
    def copied_from(self) -> str:
        """Id of the memory that it copies."""
        value = self.metadata.get("copied_from")
        if isinstance(value, Mapping):
            value = value.get("id", value.get("node"))
        return value if isinstance(value, str) else ""

    @property
    def when(self) -> SceneRef:
        """Point in story time; ``SceneRef(0)`` when ``created`` has an unknown form."""
        return moment_of(self.created)

    @property
    def tier(self) -> Tier:
        """How firmly it is kept, independent of importance."""
        tier = self.metadata.get("tier")
        return next((known for known in TIERS if known == tier), NORMAL)


def is_beside(metadata: Mapping[str, object]) -> bool:
    """Return whether a memory was not lived through by its owner: a copy of another's, or a single utterance.

    Retrieval finds such a memory; the window, reflections and the accumulator leave it out.
    """
    return "copied_from" in metadata or is_utterance(metadata)


def is_utterance(metadata: Mapping[str, object]) -> bool:
    """Return whether a memory records a single utterance (``capture.dialogue``)."""
    return metadata.get("kind") == DIALOGUE and "speaker" in metadata and "turn" in metadata


_ID = Key(
    "id",
    kinds.form("a text like vera-042", "^.+-[0-9]{3,18}$"),
    "the id is the name of the file, a hyphen and at least three digits",
    code="id-form",
)
_CREATED = Key(
    "created",
    MOMENT,
    "write day-003/scene-04: three digits, then two; a letter may follow (scene-04b)",
    code="created-form",
)
_TYPE = Key("type", kinds.word(*NODE_TYPES), "put a finer kind into metadata.kind", code="type-unknown")
_DEPTH = Key("depth", kinds.loose_whole(0), "0 = lived, 1 and more = layers of reflection", code="depth-range")
_DESCRIPTION = Key("description", kinds.text, "what is remembered, in the world's language")
_IMPORTANCE = Key(
    "importance",
    kinds.loose_whole(1, 10),
    "write a whole number from 1 (routine) to 10 (pivotal)",
    code="importance-range",
)
_TAGS = Key("tags", kinds.texts, "key words")
_EVIDENCE = Key(
    "evidence",
    kinds.list_of(kinds.text, "a list of ids of memories"),
    "ids of the memories that this one rests on; may name another agent's",
    code="evidence-form",  # evidence-type concerns the citing node, and is not an error
)
_METADATA = Key("metadata", replace(kinds.mapping, schema=METADATA.schema()), "anything else, under names of your own")
_KEYS = (_ID, _CREATED, _TYPE, _DEPTH, _DESCRIPTION, _IMPORTANCE, _TAGS, _EVIDENCE, _METADATA)
NODE_KEYS = tuple(key.name for key in _KEYS)
NODE = Record(
    Node,
    "memory",
    *_KEYS,
    missing="key-missing",
    missing_hint=f"every memory has the keys {', '.join(NODE_KEYS)}; gm memory add writes such a line",
)
"""A line of a memory stream."""
_DAY = Key(
    "day",
    replace(
        kinds.or_none(kinds.loose_whole(0)),
        expected=kinds.loose_whole(0).expected,
        keep=lambda day: "" if day is None else render_day(int(day)),
    ),
    "the story day",
    default="",
    field="created",
)


def _older(created: Key) -> Record[Node]:
    """The older shape, which requires only id, content and importance."""
    return Record(
        Node,
        "memory of the older shape",
        _ID,
        created,
        _TYPE._replace(default="observation"),
        _DEPTH._replace(default=0),
        _DESCRIPTION._replace(name="content", field="description"),
        _IMPORTANCE,
        *(key._replace(default=()) for key in (_TAGS, _EVIDENCE)),
        _METADATA._replace(default={}),
    )


_OF_SCENE, _OF_DAY = _older(_CREATED), _older(_DAY)


def is_older_record(record: Mapping[str, object]) -> bool:
    """Return whether a line has the older shape (see ``node_from_record``)."""
    return "content" in record and "description" not in record


def node_from_record(record: Mapping[str, object]) -> Node:
    """Read a memory from the object of one line.

    In the older shape ``{"id", "agent", "day", "type", "importance", "depth", "content"}``, ``content`` is the
    description, ``day`` 4 becomes ``day-004``, absent keys are empty. Whole numbers may be written ``5.00``.
    Unknown keys are ignored.

    Raises:
        RecordError: A key is missing, or has a value that cannot be read unambiguously.
    """
    if is_older_record(record):
        return (_OF_SCENE if "created" in record else _OF_DAY).read(record)
    return NODE.read(record)


def node_record(node: Node) -> dict[str, object]:
    """Return the object of a memory, with keys in file order."""
    return NODE.write(node)


def render_node(node: Node) -> str:
    """Return the line of a memory, without the line end."""
    return NODE.render(node)
