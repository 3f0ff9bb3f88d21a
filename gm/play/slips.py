"""What a person wrote in an answer that a run would leave out without a word."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice

from pydantic import BaseModel

from gm.ask.reply.extract import INSIDE, Extracted, extract_object
from gm.ask.reply.fields import Field, form_fields
from gm.ask.reply.parse import MOST_KEYS, bound_reply, parse_reply, settle_importance
from gm.ask.reply.schema import schema_of
from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.base.languages import in_any_language
from gm.base.texts import clip_line, quoted, suggest
from gm.base.untyped import as_list
from gm.files.formats.document import syntax_problem
from gm.files.formats.yamlfile import load_yaml
from gm.model.importance_source import IMPORTANCE, PARTS
from gm.model.mind import ON
from gm.model.reply_texts import NO_TEXTS, ReplyTexts
from gm.model.world import Agent, find_agent
from gm.play.question import Read
from gm.scene.pieces.known_pieces import BOARD
from gm.scene.pieces.names import slug
from gm.scene.threads.opened_threads import list_named

PEOPLE = frozenset(("to", "with", "audience"))
"""Keys of an answer that name characters."""
PLACES = frozenset(("go_to", "move_to", "place"))
"""Keys of an answer that name a place."""
NOTHING: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class Known:
    """Who can be named in an answer, and what is asked for in this world."""

    cast: Mapping[str, Agent]
    settings: Settings

    @property
    def places(self) -> tuple[str, ...]:
        """The ids of all places; empty in a world without places."""
        named = self.settings.places
        places = dict.fromkeys((*named, *(agent.state.position for agent in self.cast.values())))
        return tuple(filter(None, places)) if named else ()


def answer_fields(
    form: type[BaseModel], keys: Iterable[str], settings: Settings, texts: ReplyTexts = NO_TEXTS
) -> tuple[Field, ...]:
    """Return the fields of an answer that is asked for with some keys."""
    kinds = settings.memory_kinds == ON
    return form_fields(form, keys, texts, kinds=kinds, importance_from=settings.importance.from_)


def make_reader(form: type[BaseModel], settings: Settings, hidden: Collection[str]) -> Read:
    """Return what parses an answer; ``hidden`` are keys that are not asked for."""
    return partial(
        parse_reply,
        form=form,
        importance_required=settings.importance.rater == "error",
        hidden=hidden,
        importance_from=settings.importance.from_,
        limits=settings.reply,
    )


def find_faults(text: str, form: type[BaseModel], keys: Iterable[str], known: Known, read: Read) -> tuple[str, ...]:
    """Return why a person's answer cannot be used, and what of it a run would leave out."""
    found = extract_object(text, form.model_fields)
    if broken := find_syntax_problem(text, found):
        return (f"line {broken.line}, column {broken.column}: {broken.message}; {broken.hint}",)
    slips = (
        find_slips(answer_fields(form, keys, known.settings), _drop_unnamed(found.data, form), known) if found else ()
    )
    return tuple(dict.fromkeys((*islice(slips, MOST_KEYS), *read(text).problems)))


def _drop_unnamed(data: Mapping[str, object], form: type[BaseModel]) -> dict[str, object]:
    # what a form reads although its schema does not name it, such as spoken lines for an answer
    unnamed = form.model_fields.keys() - schema_of(form, NO_TEXTS)["properties"].keys()
    return {key: value for key, value in data.items() if key not in unnamed}


def find_slips(fields: Iterable[Field], data: Mapping[str, object], known: Known) -> Iterator[str]:
    """Yield a sentence for each thing in an answer that no run would read.

    That is an unknown key, a value of no known kind, place or character, or a text beyond the limits of the settings.
    """
    yield from _find_in_fields({field.key: field for field in fields}, data, known, "")
    for fault in settle_importance(data).unusable.values():
        yield f"{fault.parts['place']}: {fault.parts['shown']} is not a number from 1 to 10"
    yield from bound_reply(data, known.settings.reply)[1]


def _find_in_fields(
    fields: Mapping[str, Field], data: Mapping[str, object], known: Known, inside: str
) -> Iterator[str]:
    for key, value in data.items():
        place = f"{inside}{clip_line(key, 60)}"
        field = fields.get(key)
        if value in NOTHING or (key == IMPORTANCE and PARTS in fields):  # what stands in for them
            continue
        if field is None:
            yield f"{place}: unknown key; {suggest(key, fields)}"
        elif field.kind != "rows":
            yield from _find_in_value(field, value, known, place)
        elif isinstance(value, list if field.is_list else dict):
            for number, item in enumerate(as_list(value)):
                if isinstance(item, dict):
                    own = {one.key: one for one in field.rows[0]}
                    yield from _find_in_fields(own, item, known, f"{place}.{number}." if field.is_list else f"{place}.")


def _find_in_value(field: Field, value: object, known: Known, place: str) -> Iterator[str]:
    if field.kind == "choice" and "" in field.options and value not in field.options:
        yield f"{place}: {quoted(value)} is none of its values; {suggest(str(value), filter(None, field.options))}"
    texts = [text for text in as_list(value) if isinstance(text, str)]
    if field.key in PLACES and (places := known.places):
        for text in texts:
            if not _is_place(text, field.key, places):
                yield f"{place}: {quoted(text)} is not a place here; {suggest(text, places)}"
    if field.key in PEOPLE:
        for name in (name for text in texts for name in _find_unknown(text, known)):
            yield f"{place}: {quoted(name)} is not a character here; {suggest(name, known.cast)}"


def _is_place(text: str, key: str, places: Iterable[str]) -> bool:
    return text in places if key == "go_to" else casefold(text) in map(casefold, places)


def _find_unknown(text: str, known: Known) -> list[str]:
    """Return the names in a text that mean neither a character nor all, the board, or the person outside."""
    everyone = in_any_language(lambda one: one.everyone) | {BOARD}
    outside = slug(known.settings.world.outside, "")

    def is_known(name: str) -> bool:
        return find_agent(known.cast, name) is not None or casefold(name) in everyone or slug(name, "") == outside

    whole, *parts = list_named(text)
    return [] if is_known(whole) else [name for name in parts if name.strip() and not is_known(name)]


def find_syntax_problem(text: str, found: Extracted | None) -> Problem | None:
    """Return why an answer that was meant as JSON or YAML cannot be read as such, in the words of `gm check`.

    Args:
        found: What was read of it: a broken answer may hold a whole object, as within a text of its own.
    """
    bare = text.removeprefix("\ufeff")
    start = bare.find("{")
    is_whole = not bare[: max(start, 0)].strip()
    if found is not None and not (is_whole and INSIDE.intersection(found.repairs)):
        return None
    if start < 0:
        problems = load_yaml(bare, "")[1] if ":" in bare.partition("\n")[0] else []
        return next(iter(problems), None)
    try:
        json.JSONDecoder(strict=False).raw_decode(bare, start)
    except json.JSONDecodeError as error:
        return syntax_problem("", error)
    except (RecursionError, ValueError):
        pass  # too deep, or a number too long: the check of the reply says so
    return None
