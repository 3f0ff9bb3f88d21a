"""The declaration of a layer of a mind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gm.base.texts import clip
from gm.layers.rules import Finding, LayerFiles
from gm.model.mind import LayerSlot
from gm.model.record import Record

if TYPE_CHECKING:  # slow imports, and every command that knows a path loads the declarations
    from gm.model.calendar import SceneRef
    from gm.model.consulted import Consulted
    from gm.model.ids import IdForm
    from gm.model.scene import Scene
    from gm.model.scene_reply import SceneReply
    from gm.model.world import Agent, World

V = TypeVar("V")
C = TypeVar("C")

YAML, JSON, LINES = ".yaml", ".json", ".jsonl"

FEATURES = {
    "check": "gm check holds its files against rules",
    "diff": "gm diff names what changed in it",
    "merge": "two versions are merged",
    "rewind": "it goes back with its world",
    "watch": "a change by hand is noticed while a day is played",
    "publish": "pages show it, and its name in publish.private keeps it back",
    "export": "books tell it, and publish.private keeps it back",
    "card": "character cards hold it, and publish.private keeps it back",
    "context": "prompts show it",
    "why": "gm why says what it had to do with a scene",
    "mcp": "memory tools read or change it",
    "command": "a command shows it",
}
"""The features that each layer supports, or gives a reason not to (``Layer.without``)."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Values to write into a document.

    Attributes:
        touched: The keys that change; those not in ``new`` are removed.
        entry: Key of the object that holds them; empty = the top level.
    """

    touched: Collection[str]
    new: Mapping[str, object]
    entry: str = ""


@dataclass(frozen=True, slots=True)
class AppendedLines:
    """Lines to append, without line ends; ``ending`` if it is not the layer's."""

    texts: Sequence[str]
    ending: str = ""


@dataclass(frozen=True, slots=True)
class File(Generic[V, C]):
    """The file of a layer: one for each character.

    Attributes:
        ending: ``.yaml`` (a mapping), ``.json`` (an object of objects) or ``.jsonl`` (an object on each line).
        parse: Returns the value, from the mapping of a YAML file, the records of a JSON file by key, or the records of
            all lines.
        write: Returns what to write for a change, given the contents of the file.
        record: Declares an entry of a JSON file, or a line.
        beside: Endings of further files.
        numbered: None = no numbers. Records with numbers are events: see ``files.reading.records``.
        check: Further rules for ``gm check``, apart from what ``record`` declares.
        form: Declares a YAML file as a whole.
        joined: Key that no two lines share: a merge joins the lines that two branches have added with one value of it.
    """

    folder: str
    ending: str
    parse: Callable[[Any], V]
    write: Callable[[Mapping[str, object], C], Iterable[Keys | AppendedLines]]
    record: Record[Any] | None = None
    beside: tuple[str, ...] = ()
    numbered: IdForm | None = None
    check: Callable[[LayerFiles], Iterable[Finding]] = lambda _: ()
    form: Record[Any] | None = None
    joined: str = ""


@dataclass(frozen=True, slots=True)
class PlayedScene:
    """A scene as a fold sees it.

    Attributes:
        world: Before the scene.
        said: What the character's replies say about the layer, in order.
        partners: Members of the cast that it interacted with.
    """

    world: World
    scene: Scene
    agent: str
    said: tuple[Any, ...]
    partners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory of a change; ``phrase`` is the key of a sentence."""

    phrase: str
    values: Mapping[str, str]
    importance: int
    tags: tuple[str, ...]
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Folded(Generic[C]):
    """What a scene changes in a layer, and the memories of that."""

    change: C | None = None
    warnings: Sequence[str] = ()
    memories: tuple[Remembered, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value edited during the scene, and kept."""

    key: str
    ours: object
    theirs: object


@dataclass(frozen=True, slots=True)
class LayerReply(Generic[V, C]):
    """What a reply says about a layer.

    Attributes:
        fold: Returns what a scene changes.
        consulted: Returns what a call of a memory tool says about the layer.
        asked: Type and pydantic field of the key, if not in ``model.scene_reply`` or ``model.solo_replies``.
        record: Key of the logbook line for the changes, each of which names its character.
    """

    key: str
    fold: Callable[[PlayedScene, V], Folded[C]]
    consulted: Callable[[Consulted], tuple[object, ...]] = lambda _: ()
    asked: tuple[object, object] | None = None
    log_values: Callable[[C], Mapping[str, object]] | None = None
    record: str = ""


@dataclass(frozen=True, slots=True)
class ShownMoment:
    """A moment in which a prompt shows a layer, to its owner only.

    Attributes:
        scene: None outside of scenes.
        own: The character's replies in the scene so far.
        present: Ids of the others, participants first.
    """

    world: World
    agent: Agent
    scene: Scene | None = None
    own: Sequence[SceneReply] = ()
    present: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PromptView(Generic[V]):
    """How a prompt shows a layer.

    Attributes:
        show: Returns its value as plain data: mappings become objects with attributes.
        empty: Its value while the layer is off, or in a prompt without layers.
        template: Template of a separate part after the persona; empty = the templates of scenes show it.
    """

    variable: str
    show: Callable[[ShownMoment, V], object]
    empty: object
    template: str = ""


@dataclass(frozen=True, slots=True)
class CardEntry:
    """A text in the book of a character card; ``keys`` are the words that bring it up, none = it always counts."""

    text: str
    keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Layer(LayerSlot[V, C]):
    """The declaration of one layer of a mind.

    Attributes:
        reply: None = characters do not write it in scenes.
        about: A sentence about its files, for the page of all files.
        example: An object of its file, in the form of the file, for the same page.
        sample: A value with one of everything, of the invented characters ``mina`` and ``otto``; templates are checked
            with it.
        words: Returns headings with texts below each, for pages and books without their own form for it.
        facts: Returns as JSON data what the rehearsal answers by; None = it needs nothing of it.
        card: Returns texts for the book of a character card, given the names of all characters by id.
        page: Kind of page with its own form; empty = the character's page shows ``words``.
        commands: The commands that show it, ``{agent}`` for the id of a character.
        describe: Returns a line of its file in words, for ``gm diff``.
        yields: Removes from a change what a person has edited, given the values before and now.
        open: Returns the value without entries tagged as private.
        stays: Whether it stays with a character that lacks its memories, the same at each moment (interviews).
        is_plan: Whether it says what is intended (interviews without plans).
        value_at: Returns the value after a past moment; None = nothing dates its parts.
        without: Unsupported ``FEATURES``, each with the reason.
    """

    file: File[V, C]
    advance: Callable[[V, C], V]
    view: PromptView[V]
    about: str
    example: str
    sample: V
    words: Callable[[V], Mapping[str, Sequence[str]]] = lambda _: {}
    facts: Callable[[ShownMoment, V], object] | None = None
    card: Callable[[V, Mapping[str, str]], Iterable[CardEntry]] = lambda _value, _names: ()
    reply: LayerReply[V, C] | None = None
    commands: tuple[str, ...] = ("gm context {agent} --prompt",)
    page: str = ""
    describe: Callable[[Mapping[str, object]], str] = str
    yields: Callable[[V, V, C], tuple[C, list[KeptValue]]] | None = None
    open: Callable[[V], V] | None = None
    stays: bool = False
    is_plan: bool = False
    value_at: Callable[[V, SceneRef], V] | None = None
    without: Mapping[str, str] = field(default_factory=dict)


AnyLayer = Layer[Any, Any]
"""A layer of any value and any change."""


def quote_words(text: str) -> str:
    """Quote a character's words for a warning, cut to 60 characters."""
    return repr(clip(text))
