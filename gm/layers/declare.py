"""What a layer of a mind declares: one value from which every part of ``gm`` takes what it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gm.base.texts import clip
from gm.model.character import Agent
from gm.model.mind import Slot
from gm.model.record import Record
from gm.model.scene import Scene
from gm.model.world import World

if TYPE_CHECKING:  # pydantic is a slow import, and reading a world does without it
    from gm.model.consulted import Consulted
    from gm.model.replies import SceneReply

V = TypeVar("V")
C = TypeVar("C")

YAML, JSON, LINES = ".yaml", ".json", ".jsonl"

FEATURES = {
    "check": "gm check holds its files against rules",
    "diff": "gm diff names what changed in it",
    "merge": "two versions are merged",
    "rewind": "it goes back with its world",
    "watch": "a change by hand is noticed while a day is played",
    "publish": "pages show it, and publish.private keeps it back",
    "export": "books tell it, and publish.private keeps it back",
    "context": "prompts show it",
    "why": "gm why says what it had to do with a scene",
    "mcp": "memory tools read or change it",
    "command": "a command shows it",
}
"""What each layer takes part in, or gives a reason not to (``Layer.without``)."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Values of a document that are written.

    Attributes:
        touched: The keys that change; those which are not in ``new`` are taken out.
        new: What they are to say.
        entry: Key of the object in which they stand; empty = at the top.
    """

    touched: Collection[str]
    new: Mapping[str, object]
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that are added to a file.

    Attributes:
        texts: Without line ends.
        ending: Ending of the file, where it is another one than that of the layer.
    """

    texts: Sequence[str]
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Numbered:
    """How the records of a file are numbered, for each character from 1.

    Attributes:
        number: Returns the number of an id; 0 when it has another form.
        render: Writes the id of a number.
    """

    number: Callable[[str], int]
    render: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class File(Generic[V, C]):
    """The file of a layer: one for each character.

    Attributes:
        folder: Folder of ``state/``.
        ending: ``.yaml`` (a mapping), ``.json`` (an object of objects) or ``.jsonl`` (an object on each line).
        parse: Returns the value of a YAML file's mapping, of the read records of a JSON file by key, or of the read
            records of all lines.
        write: Returns what has to be written for a change, given what the file says.
        record: Declares an entry of a JSON file, or a line.
        beside: Endings of further files that belong to it.
        numbered: How its records are numbered; None = they have no numbers. Such records are events: see
            ``files.reading.records``.
    """

    folder: str
    ending: str
    parse: Callable[[Any], V]
    write: Callable[[Mapping[str, Any], C], Iterable[Keys | Lines]]
    record: Record[Any] | None = None
    beside: tuple[str, ...] = ()
    numbered: Numbered | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """What a fold knows of a scene.

    Attributes:
        world: The world before the scene.
        scene: What was played.
        agent: Whose mind is folded.
        said: What the replies of this character say about the layer, in order.
        partners: Those of the cast with whom the character dealt.
    """

    world: World
    scene: Scene
    agent: str
    said: tuple[Any, ...]
    partners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that a change leaves behind; the Game Master's sentence ``phrase`` with these values."""

    phrase: str
    values: Mapping[str, str]
    importance: int
    tags: tuple[str, ...]
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Folded(Generic[C]):
    """What a scene changes in a layer of one mind.

    Attributes:
        change: None = nothing.
        warnings: What could not be done, in words.
        memories: What the character remembers of it.
    """

    change: C | None = None
    warnings: Sequence[str] = ()
    memories: tuple[Remembered, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """A value that stays as a person made it while a scene was being played."""

    key: str
    ours: object
    theirs: object


@dataclass(frozen=True, slots=True)
class Reply(Generic[V, C]):
    """What a reply says about a layer.

    Attributes:
        key: Its key in replies.
        fold: Returns what a scene changes.
        consulted: Returns what a call of a memory tool says about the layer.
        asked: Type and pydantic field of the key, where the forms of ``model.replies`` do not have it already.
        told: Puts a change into a logbook line; None = the logbook does not tell it.
        record: Key of the logbook line under which changes stand.
    """

    key: str
    fold: Callable[[Played, V], Folded[C]]
    consulted: Callable[[Consulted], tuple[Any, ...]] = lambda _: ()
    asked: tuple[Any, Any] | None = None
    told: Callable[[C], Mapping[str, Any]] | None = None
    record: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A moment in which a prompt shows a layer; nobody but its owner is shown it.

    Attributes:
        world: The world.
        agent: Whose mind.
        scene: What is played; None outside of scenes.
        own: What the character has replied in the scene so far.
    """

    world: World
    agent: Agent
    scene: Scene | None = None
    own: Sequence[SceneReply] = ()


@dataclass(frozen=True, slots=True)
class View(Generic[V]):
    """How a prompt shows a layer.

    Attributes:
        variable: Name of the variable in templates.
        show: Returns the variable's value as plain data: mappings become objects with attributes.
        empty: The value while the layer is off, or in a question without the layers.
        template: Template of a part of its own behind the persona; empty = the templates of scenes show it.
    """

    variable: str
    show: Callable[[Shown, V], Any]
    empty: Any
    template: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Layer(Slot[V, C]):
    """The declaration of one layer of a mind.

    Attributes:
        file: Where and how it is written.
        advance: Returns the value after a change.
        reply: What a reply says about it; None = characters do not write it in scenes.
        view: How prompts show it.
        sample: A value with one of everything, of the made-up characters ``mina`` and ``otto``: what the templates of a
            world are held against.
        words: Returns the value in words, as headings with texts below each: what pages and books tell that have no
            form of their own for it.
        private: Word of ``publish.private`` that keeps it back.
        page: Kind of page that shows it in a form of its own; empty = the page of the character tells it in words.
        commands: The commands that show it, ``{agent}`` for the id of a character.
        told: Returns in words what a line of its file says, for ``gm diff``.
        yields: Takes out of a change what a person has edited, given the values before and now.
        open: Returns the value without what is tagged as private.
        without: Features of ``FEATURES`` in which it takes no part, each with the reason.
    """

    file: File[V, C]
    advance: Callable[[V, C], V]
    private: str
    view: View[V]
    sample: V
    words: Callable[[V], Mapping[str, Sequence[str]]] = lambda _: {}
    reply: Reply[V, C] | None = None
    commands: tuple[str, ...] = ("gm context {agent} --prompt",)
    page: str = ""
    told: Callable[[Mapping[str, Any]], str] = str
    yields: Callable[[V, V, C], tuple[C, list[Edited]]] | None = None
    open: Callable[[V], V] | None = None
    without: Mapping[str, str] = field(default_factory=dict)


def quoted(text: str) -> str:
    """Quote what a character wrote in a warning, cut to 60 characters."""
    return repr(clip(text))
