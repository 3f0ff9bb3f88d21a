"""Read Character Cards V1, V2 and V3.

What a card says to models and users (prompts, notes, credits) stays in the kept copy alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gm.api.imports.arrival import Arrival, Format, FormatOptions, ImportedPerson, ImportSource
from gm.api.imports.books import OWN, read_book
from gm.api.imports.cardmodel import Card, find_portrait, read_card, version_of
from gm.api.imports.fields import clean_line, clean_text
from gm.api.imports.lore import GIFTED, LIBRARY, Sorted, make_memories, make_texts, sort_entries
from gm.api.imports.macros import USER, Macros, report_dice
from gm.api.imports.notes import ENDING, ImportNote, digest, digest_line, render_note
from gm.api.imports.owncards import carried_part, front_of, is_told_twice, own_card, relationships_of, soul_of
from gm.api.imports.prose import import_words
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.base.languages import languages
from gm.base.texts import counted
from gm.model.front import CALLED

PARTS = DESCRIPTION, PERSONALITY, VOICE, LORE = "description", "personality", "voice", "lore"
BREAK = "* * *"
"""Between two samples of speech."""
START = re.compile(r"^[ \t]*<START>[ \t]*", re.I | re.M)
_SPEAKER = re.compile(r"[ \t]*([^\n:]{1,100}):")


def headings_of(language: str) -> dict[str, str]:
    """Return the headings of a card's parts; that of the voice is what seed memories look for."""
    words = import_words(language)
    return {part: words(f"card.{part}") for part in PARTS}


def join_sections(parts: Mapping[str, str], language: str) -> str:
    """Return a persona's prose; empty parts get no heading."""
    headings = headings_of(language)
    own = re.compile(_pattern(headings), re.M)  # a text may hold one itself
    cleaned = {part: own.sub(r"### \1", clean_text(parts.get(part, ""))) for part in headings}
    return "\n\n".join(f"## {headings[part]}\n\n{text}" for part, text in cleaned.items() if text)


def split_sections(prose: str) -> dict[str, str]:
    """Return the parts of a prose in any language; text before the first heading is description."""
    headings = max(map(headings_of, languages()), key=lambda one: len(re.findall(_pattern(one), prose, re.M)))
    parts = dict.fromkeys(headings, "")
    names = {heading: part for part, heading in headings.items()}
    here, seen, lines = DESCRIPTION, set[str](), list[str]()
    for line in prose.split("\n"):
        found = re.match(_pattern(headings), line)
        if found and names[found[1]] not in seen:
            parts[here] = clean_text(f"{parts[here]}\n\n" + "\n".join(lines))
            here, lines = names[found[1]], []
            seen.add(here)
        else:
            lines.append(line)
    parts[here] = clean_text(f"{parts[here]}\n\n" + "\n".join(lines))
    return parts


def split_talks(text: str) -> list[str]:
    """Return a card's example talks, which begin with ``<START>``."""
    return [talk for part in START.split(text) if (talk := part.strip())]


def without_lines_of(name: str, others: Iterable[str], talk: str) -> str:
    """Return a talk without one speaker's lines, each up to another speaker's.

    Args:
        others: Other speakers.
    """
    left_out, known = casefold(name), {casefold(other) for other in others}
    return "\n".join(_leave_out_speaker(talk.split("\n"), left_out, known)).strip()


def voice(talks: Sequence[str], greetings: Sequence[str]) -> str:
    """Join samples of speech, separated by lines."""
    return f"\n\n{BREAK}\n\n".join(sample for sample in (*talks, *(item.strip() for item in greetings)) if sample)


def _pattern(headings: Mapping[str, str]) -> str:
    return rf"^## ({'|'.join(map(re.escape, headings.values()))})[ \t]*$"


def _leave_out_speaker(lines: Sequence[str], left_out: str, known: set[str]) -> Iterator[str]:
    speaking = False
    for line in lines:
        found = _SPEAKER.match(line)
        speaker = casefold(found[1]) if found else ""
        if speaker == left_out:
            speaking = True
        elif speaker in known:
            speaking = False
        if not speaking:
            yield line


MOST_NAME = 100
"""Characters of a name; macros put it in many times."""
CARD, ARCHIVE = ".json", ".charx"
SEEDS = "seed memories: found by gm recall, and shown in prompts (at most seeds.shown)"
_UNSAID = {
    "told to models": ("system_prompt", "post_history_instructions"),
    "told to people who use the card": (
        *("creator_notes", "creator_notes_multilingual", "creator", "character_version", "tags", "source"),
        *("creation_date", "modification_date"),
    ),
    "of other programs": ("extensions",),
}
_TOLD_ELSEWHERE = ("personality", "mes_example", "first_mes", "alternate_greetings", "group_only_greetings")
_KEPT = "; kept with the card, in no prompt"
_ATTRIBUTES = re.compile(r'\w ?\( ?["“][^"”\n]{0,200}["”] ?[+)]|^\[[^\]\n:]{1,60}:[^\]\n]{1,300};', re.M)
"""What W++ and PList look like."""


def read_character_card(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read a card.

    Raises:
        UsageError: Its name is missing or too long.
    """
    assert isinstance(source.data, Mapping)
    card, left = read_card(source.data, source.name)
    name = options.name or _without_braces(card.name)
    if len(name) > MOST_NAME or not name:
        raise UsageError(f"{source.name}: {card.name[:60]!r} … cannot be a name", "give a shorter one: --as NAME")
    nickname = nickname_of(card.nickname) if not options.name else ""
    macros = Macros(nickname or name, options.user, options.seed)
    book = sort_entries(read_book(card.character_book or {}), macros)
    to_library = options.lore == LIBRARY
    own = own_card(card.extensions)
    parts = {DESCRIPTION: card.description} if own else _resolve_parts(card, name, macros, options, book)
    prose = card.description if own else join_sections(parts, options.language)
    keyed = [entry for entry in book.keyed if not is_told_twice(entry)]
    memories = () if to_library else make_memories(keyed)
    portrait, unused = find_portrait(card.assets, source.files)
    if own and (derived := [key for key in _TOLD_ELSEWHERE if getattr(card, key)]):
        left.append((", ".join(derived), "gm has made them of what is told elsewhere" + _KEPT))
    left += [*_unsaid(card), *book.left, *report_dice(_spoken(card)), *unused]
    format_ = f"character card {version_of(source.data)}"
    carried = carried_part(card.extensions)
    person = ImportedPerson(
        name=name,
        front=front_of(carried) | ({CALLED: nickname} if nickname else {}),
        prose=prose.strip() or f"## {name}",
        memories=memories,
        relationships=relationships_of(carried),
        soul=soul_of(carried),
        portrait=source.portrait or portrait,
    )
    sections = split_sections(person.prose)
    note = ImportNote(
        format=format_,
        name=name,
        prose=digest(person.prose),
        parts={part: digest(text) for part, text in sections.items()},
        entries={} if to_library else {entry.place: digest_line(entry.content) for entry in keyed},
        samples=tuple(digest(sample) for part in sections[VOICE].split(BREAK) if (sample := part.strip())),
        user=options.user,
    )
    return Arrival(
        format_,
        (person,),
        make_texts(keyed) if to_library else (),
        scenario=macros.resolve(card.scenario).strip(),
        kept={CARD: source.raw, ENDING: render_note(note)}
        | ({ARCHIVE: source.whole} if source.files and source.whole else {}),
        mapped=(
            *_list_mapped_fields(card, nickname, person, book, LIBRARY if to_library else GIFTED),
            *(
                (("{{user}}", f"{options.user}; --user NAME names another one"),)
                if _speaks_of_user(card, options)
                else ()
            ),
        ),
        left=tuple(left),
    )


CARDS = Format(
    "character cards V1, V2 and V3 (JSON, PNG, CHARX)",
    lambda source: version_of(source.data) is not None,
    read_character_card,
)


def _without_braces(text: str) -> str:
    """Remove the braces of macros, which would spread into every text with the name."""
    return clean_line(text.replace("{", " ").replace("}", " "))


def nickname_of(text: str) -> str:
    """Return a card's nickname as a persona has it."""
    return _without_braces(text)[:MOST_NAME].rstrip()


def _resolve_parts(card: Card, name: str, macros: Macros, options: FormatOptions, book: Sorted) -> dict[str, str]:
    others = {name, macros.char, _without_braces(card.name)}
    talks = [macros.resolve(talk) for talk in split_talks(card.mes_example)]
    if not options.user_named:
        talks = [without_lines_of(options.user, others, talk) for talk in talks]
    greetings = [
        macros.resolve(text) for text in (card.first_mes, *card.alternate_greetings, *card.group_only_greetings)
    ]
    return {
        DESCRIPTION: macros.resolve(START.sub("", card.description)),
        PERSONALITY: macros.resolve(START.sub("", card.personality)),
        VOICE: voice(talks, greetings),
        LORE: "\n\n".join(entry.content for entry in book.constant),
    }


def _list_mapped_fields(
    card: Card, nickname: str, person: ImportedPerson, book: Sorted, lore: str
) -> Iterator[tuple[str, str]]:
    yield "name", person.name if card.name.strip() == person.name else f"{person.name}, there {clean_line(card.name)}"
    if nickname:
        yield "nickname", f"front matter, {CALLED}"
    own = own_card(card.extensions)
    for key in ("description",) if own else ("description", "personality"):
        text = getattr(card, key)
        if text.strip():
            listed = ", a list of attributes that is kept word for word" if _ATTRIBUTES.search(text) else ""
            yield key, f"persona{listed}"
    spoken = ("mes_example", "first_mes", "alternate_greetings", "group_only_greetings")
    if samples := [key for key in spoken if getattr(card, key) and not own]:
        yield ", ".join(samples), "persona, how the character speaks"
    if person.front.keys() - {CALLED} or person.soul or person.relationships:
        yield "extensions.gm", "front matter, soul and relationships, as gm has exported them"
    if book.constant:
        yield f"{counted(len(book.constant), 'constant entry')} of the book", "persona"
    if book.keyed:
        yield f"{counted(len(book.keyed), 'entry')} of the book", "library" if lore == LIBRARY else SEEDS
    if card.scenario.strip():
        yield "scenario", "shown below"
    if person.portrait:
        yield "picture", "portrait"


def _speaks_of_user(card: Card, options: FormatOptions) -> bool:
    return not options.user_named and any(USER.search(text) for text in _spoken(card))


def _spoken(card: Card) -> tuple[str, ...]:
    greetings = (card.first_mes, *card.alternate_greetings)
    return (card.description, card.personality, card.scenario, card.mes_example, *greetings)


def _unsaid(card: Card) -> Iterator[tuple[str, str]]:
    said = {**(card.model_extra or {}), **{key: getattr(card, key) for key in Card.model_fields}}
    said["extensions"] = card.extensions.keys() - {OWN}
    for why, keys in _UNSAID.items():
        if found := [key for key in keys if said.get(key)]:
            yield ", ".join(found), why + _KEPT
    if others := sorted(set(card.model_extra or {}) - {key for keys in _UNSAID.values() for key in keys}):
        yield ", ".join(name[:60] for name in others[:8]), "unknown here" + _KEPT
