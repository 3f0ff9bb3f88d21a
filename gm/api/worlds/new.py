"""``gm new`` and ``gm character add``: a world from a few sentences, or from notes that a model reads.

What is missing becomes comments that say what could stand there.
"""

from __future__ import annotations

import json
import re
import tempfile
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from gm.api.reports.cost import CostSum, describe_cost
from gm.api.worlds.create import check_folder, write_new_world
from gm.base.config import Settings
from gm.base.errors import UsageError, say
from gm.base.frontmatter import FENCE
from gm.base.languages import choose_code
from gm.base.texts import UNSAFE_CONTROLS
from gm.files.commits.steps import Create
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_blank, shipped_languages
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_settings, need_settings
from gm.llm.choose import Choice
from gm.model.draft import PersonaDraft
from gm.play.draft import draft
from gm.scene.pieces.names import slug

NOBODY = ("Ada", "Ben")
WIDTH = 120
MOST_OF_ROLE = 40
"""Characters of a role; a longer beginning of a text is none."""
_APOSTROPHES = re.compile("['’]")
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Signs that JSON writes as they are, and that YAML refuses or takes for line ends."""


@dataclass(frozen=True, slots=True)
class Named:
    """A character or a place in one line: ``Mira: pilot, laughs too early``."""

    name: str
    text: str = ""
    persona: PersonaDraft | None = None


@dataclass(frozen=True, slots=True)
class Sketch:
    """What the user has said about a new world; empty = left to be filled in."""

    language: str
    title: str = ""
    premise: str = ""
    brief: str = ""
    places: tuple[Named, ...] = ()
    characters: tuple[Named, ...] = ()
    rules: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    outside: str = ""
    status: str = ""
    events: tuple[Mapping[str, object], ...] = ()


def usual_language(environment: Mapping[str, str]) -> str:
    """Return the user's language if it is one of ``shipped_languages()``, else English."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    return choose_code(shipped_blank(), locale, "")


def read_named(text: str, what: str) -> Named:
    """Read ``NAME`` or ``NAME: TEXT``.

    Raises:
        UsageError: There is no name.
    """
    name, _, said = (part.strip() for part in safe_line(text).partition(":"))
    if not name:
        raise UsageError(
            f"{text!r} names no {what}", f'write it like this: "{what.capitalize()} name: what it is like"'
        )
    return Named(name, said)


def sketch_from(
    folder: Path, choice: Choice, notes: str, language: str, notice: Callable[[str], None]
) -> tuple[Sketch, CostSum]:
    """Have a model draft a world from notes; return it and its cost.

    Args:
        folder: The future world, which keeps questions and answers.

    Raises:
        UsageError: The language is unknown, or the rehearsal would have to write it.
        BackendError: The model could not be asked, or its answer stayed unusable.
        WaitingError: Answers are awaited; the same command continues with them.
    """
    _check_language(language)
    layout = Layout(folder.resolve())
    world, personas = draft(layout, choice, notes, language, notice)
    cast = zip(world.characters, personas, strict=True)
    sketch = Sketch(
        language,
        world.title,
        world.premise,
        world.brief,
        tuple(Named(one.name, one.text) for one in world.places),
        tuple(Named(one.name, one.line, persona) for one, persona in cast),
        tuple(world.rules),
        tuple(slug(kind, "misc") for kind in world.kinds),
        world.outside,
        world.status,
        tuple(one.model_dump() for one in world.events),
    )
    return sketch, describe_cost(TraceReader(layout.asks), Settings()).totals


def new_world(folder: Path, sketch: Sketch) -> Layout:
    """Make a world at day 0.

    Raises:
        UsageError: The language is unknown, two characters or places share a name, or the folder is a world.
    """
    _check_language(sketch.language)
    check_folder(folder)
    with tempfile.TemporaryDirectory() as made:
        source = Layout(Path(made))
        for path, text in _render_files(folder, sketch).items():
            place = source.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        return write_new_world(folder, source, "gm new")


def add_character(layout: Layout, character: Named, home: str = "") -> str:
    """Add a persona to a world; return its path.

    Raises:
        BrokenWorldError: ``gm.yaml`` cannot be read.
        UsageError: The name is taken, or the place unknown.
    """
    name, place = check_new_character(layout, character, home)
    return lay_persona(layout, name, _persona(load_settings(layout)[0].language, character, place))


def lay_persona(layout: Layout, name: str, text: str) -> str:
    """Write the persona of a new character, and return its path."""
    path = layout.shown(layout.persona(name))
    with writing(layout, "gm character add") as writer:
        writer.commit([Create(path, text)], recorded=False)
    return path


def render_persona(front: Mapping[str, object], prose: str) -> str:
    """Return the text of a persona; what is empty is left out of its front matter."""
    said = {key: value for key, value in front.items() if value}
    head = yaml.safe_dump(said, allow_unicode=True, sort_keys=False, width=WIDTH)
    return f"{FENCE}\n{head}{FENCE}\n{prose}\n"


def check_new_character(layout: Layout, character: Named, home: str) -> tuple[str, str]:
    """Return the id of a character that is to be added, and the place that ``home`` names; as ``add_character``."""
    settings = need_settings(layout)
    known = {slug(place, place): place for place in settings.places}
    if home and _make_id(home, "") not in known:
        raise UsageError(say("there is no place {place}", repr(home)), "places: " + ", ".join(known.values()))
    if not character.name:
        raise UsageError("a character needs a name", "write one with visible characters")
    cast = layout.agent_names()
    name = _make_id(character.name, f"character-{len(cast) + 1}")
    if name in cast:
        raise UsageError(
            say("there is a character {name} already", name), f"see {layout.shown(layout.personas / name)}.md"
        )
    return name, known.get(_make_id(home, ""), "")


def _check_language(language: str) -> None:
    known = shipped_languages()
    if language not in known:
        raise UsageError(f"there are no prompts in language {language!r}", "languages: " + ", ".join(known))


def _render_files(folder: Path, sketch: Sketch) -> dict[str, str]:
    places = _assign_ids("place", sketch.places)
    characters = _assign_ids("character", sketch.characters or tuple(map(Named, NOBODY)))
    settings = _template(sketch.language, "gm.yaml.j2").render(
        title=sketch.title or re.sub(r"[-_]+", " ", folder.resolve().name).title(),
        premise=sketch.premise,
        brief=sketch.brief,
        places=[Named(name, place.text) for name, place in places.items()],
        place_names={name: place.name for name, place in places.items() if place.name != name},
        rules=sketch.rules,
        kinds=sketch.kinds,
        outside=sketch.outside,
        status=sketch.status,
        events=sketch.events,
    )
    homes = list(yaml.safe_load(settings)["places"])  # without places of the user, the template has one
    personas = {
        name: _render_draft(one, one.persona, places, characters)
        if one.persona
        else _persona(sketch.language, one, _choose_home(one, homes, number))
        for number, (name, one) in enumerate(characters.items())
    }
    return {"gm.yaml": settings, **{f"state/personas/{name}.md": text for name, text in personas.items()}}


def _choose_home(character: Named, places: Sequence[str], number: int) -> str:
    """Return the place that a character's text names, else the next one in turn."""
    words = "-".join(("", *(slug(word, "") for word in character.text.split()), ""))
    return next((place for place in places if f"-{place}-" in words), places[number % len(places)])


def _make_id(name: str, fallback: str) -> str:
    return slug(_APOSTROPHES.sub("", name), fallback)


def _assign_ids(what: str, named: Iterable[Named]) -> dict[str, Named]:
    """Use names as ids; those without Latin letters get a number."""
    found: dict[str, Named] = {}
    for number, one in enumerate(named, 1):
        other = found.setdefault(_make_id(one.name, f"{what}-{number}"), one)
        if other is not one:
            raise UsageError(
                say("two {what} would have one name: {one} and {other}", f"{what}s", repr(other.name), repr(one.name)),
                "call one differently",
            )
    return found


def _persona(language: str, character: Named, home: str) -> str:
    return _template(language, "persona.md.j2").render(
        name=character.name, role=role_of(character), text=character.text, home=home
    )


def role_of(character: Named) -> str:
    """Return the beginning of a character's text if it is short enough for a role, else nothing."""
    role = re.split(r"[,;.]", character.text)[0].strip()
    return role if len(role) <= MOST_OF_ROLE else ""


def _render_draft(character: Named, draft: PersonaDraft, places: Mapping[str, Named], cast: Mapping[str, Named]) -> str:
    said = draft.model_dump(exclude={"prose", "friends", "quarrels"})
    bonds = {
        key: {name: one.why for one in bonds if (name := _find_known(one.name, cast)) and cast[name] is not character}
        for key, bonds in (("friends", draft.friends), ("quarrels", draft.quarrels))
    }
    front = {"name": character.name, **said, "home": _find_known(draft.home, places) or next(iter(places)), **bonds}
    return render_persona(front, draft.prose)


def _find_known(name: str, named: Mapping[str, Named]) -> str:
    wanted = _make_id(name, "")
    return next((known for known, one in named.items() if name == one.name or wanted == known), "")


def _template(language: str, name: str) -> Template:
    folder = shipped_blank() / choose_code(shipped_blank(), language, "")
    around = Environment(
        autoescape=False,
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    around.filters |= {"json": _quote_yaml, "block": _block, "comment": safe_line}
    return around.get_template(name)


def _quote_yaml(text: str) -> str:
    return _NOT_IN_YAML.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(text, ensure_ascii=False))


def _block(text: str) -> str:
    text = text.strip()  # in a block, the first line says how far all others are indented
    if ("\n" not in text and len(text) <= WIDTH - 30) or not text.replace("\n", "").isprintable():
        return _quote_yaml(text)
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, WIDTH - 10) or [""]]
    return "|-" + "".join(f"\n    {line}".rstrip(" ") for line in lines)


def safe_line(text: str) -> str:
    """Return a text without line breaks and control characters, which would break comments and personas."""
    return " ".join(_NOT_IN_YAML.sub(" ", UNSAFE_CONTROLS.sub(" ", text)).split())
