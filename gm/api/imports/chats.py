"""Read chats of SillyTavern (JSONL), with one character or a group, as memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from gm.api.answers.speech import Words
from gm.api.imports.arrival import Account, Arrival, Format, FormatOptions, ImportedPerson, ImportSource, Memory
from gm.api.imports.fields import clean_name, line_of, object_of
from gm.api.imports.keeping import SaidLine, gather_memories, render_exchange
from gm.api.imports.macros import Macros
from gm.api.imports.prose import import_words, prose_of
from gm.base.errors import UsageError
from gm.base.texts import counted
from gm.base.untyped import items_of

HEADER = ("chat_metadata", "user_name", "character_name")
"""Keys of the first line; older chats of groups have none."""
UNUSED = "unused"
"""Name in the first line of a group's chat."""
ENDING = ".chat.jsonl"
LOOKED_AT = 20
"""Lines that decide whether a file is a chat."""
MOST_LINES = 8
"""Lines of an exchange; where a person says nothing for longer, another one begins."""
MOST_EXCHANGES = 200
"""Exchanges that a character remembers, the newest."""
MOST_SPEAKERS = 20
MOST_SAMPLES = 8
SAMPLE = range(20, 241)
"""Characters of a line that shows how a person talks."""
LONGEST_LINE = 2000


@dataclass(frozen=True, slots=True)
class _Message:
    line: SaidLine
    is_user: bool


def fits(source: ImportSource) -> bool:
    """Return whether a source is a chat, judged by its first lines."""
    return any(_is_header(one) or _is_message(one) for one in map(object_of, items_of(source.data)[:LOOKED_AT]))


def read(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read a chat, which all its speakers remember.

    Raises:
        UsageError: No character says anything.
    """
    account = Account()
    messages = _messages(source, options, account)
    speakers = _speakers(messages, account)
    if not speakers:
        raise UsageError(
            f"{source.name}: found {counted(len(messages), 'line')} of the user and none of a character, expected both",
            "export the chat again",
        )
    if options.name and len(speakers) == 1:
        messages = [
            one if one.is_user else _Message(SaidLine(options.name, one.line.said), is_user=False) for one in messages
        ]
        speakers = [options.name]
    words = import_words(options.language)
    exchanges = list(_exchanges(messages))
    if older := max(0, len(exchanges) - MOST_EXCHANGES):
        account.leave(f"the oldest {counted(older, 'conversation')}", f"the newest {MOST_EXCHANGES} are kept")
    remembered = [(lines, render_exchange(lines, words)) for lines in exchanges[older:]]
    people = tuple(_make_person(name, messages, remembered, words, account) for name in speakers)
    account.took(counted(len(messages), "message"), f"{counted(len(remembered), 'conversation')} that each remembers")
    return Arrival(FORMAT.name, people, kept={ENDING: source.raw}, mapped=account.mapped, left=account.left)


FORMAT = Format("SillyTavern chat", fits, read)


def _is_header(line: Mapping[str, object]) -> bool:
    return HEADER[0] in line or all(key in line for key in HEADER[1:])


def _is_message(line: Mapping[str, object]) -> bool:
    return "is_user" in line and ("mes" in line or "swipes" in line)


def _messages(source: ImportSource, options: FormatOptions, account: Account) -> list[_Message]:
    usual = last = ""
    users: dict[str, None] = {}
    passed: Counter[str] = Counter()
    unchosen = 0
    found = []
    for line in map(object_of, items_of(source.data)):
        if _is_header(line):
            named = clean_name(line.get("character_name"))
            usual = usual or (named if named != UNUSED else "")
        elif line.get("is_system") is True:
            passed["of the system, or hidden"] += 1
        elif message := _message(line, usual, usual or last, options):
            found.append(message)
            if message.is_user:
                users[clean_name(line.get("name"))] = None
            else:
                last = message.line.who
            unchosen += max(0, len(items_of(line.get("swipes"))) - 1)
        else:
            passed["without a text or a name"] += 1
    if users and not options.user_named:
        account.took(", ".join(filter(None, users)) or "the user", f"{options.user}; --user NAME names another one")
    for what, number in passed.items():
        account.leave(counted(number, "message"), what)
    if unchosen:
        account.leave("swipes", counted(unchosen, "answer that was not chosen", "answers that were not chosen"))
    return found


def _message(line: Mapping[str, object], usual: str, spoken_to: str, options: FormatOptions) -> _Message | None:
    is_user = line.get("is_user") is True
    who = options.user if is_user else clean_name(line.get("name")) or usual
    character = options.name or (spoken_to if is_user else who)
    said = line_of(Macros(character, options.user, options.seed).resolve(_choose_swipe(line)), LONGEST_LINE)
    return _Message(SaidLine(who, said), is_user) if who and said else None


def _choose_swipe(line: Mapping[str, object]) -> str:
    """Return the text of the chosen swipe, which ``mes`` repeats."""
    swipes, chosen = items_of(line.get("swipes")), line.get("swipe_id")
    number = chosen if isinstance(chosen, int) and 0 <= chosen < len(swipes) else 0
    return line_of(line.get("mes"), LONGEST_LINE) or line_of(next(islice(swipes, number, None), ""), LONGEST_LINE)


def _exchanges(messages: Sequence[_Message]) -> Iterator[list[SaidLine]]:
    """Yield what a person says with the answers to it."""
    lines: list[SaidLine] = []
    answered = False
    for one in messages:
        if lines and ((one.is_user and answered) or len(lines) >= MOST_LINES):
            yield lines
            lines, answered = [], False
        lines.append(one.line)
        answered = answered or not one.is_user
    if lines:
        yield lines


def _speakers(messages: Sequence[_Message], account: Account) -> list[str]:
    said = Counter(one.line.who for one in messages if not one.is_user)
    most = {name for name, _ in said.most_common(MOST_SPEAKERS)}
    if others := len(said) - len(most):
        account.leave(counted(others, "speaker"), f"the {MOST_SPEAKERS} who say most become characters")
    return [name for name in said if name in most]


def _make_person(
    name: str,
    messages: Sequence[_Message],
    remembered: Sequence[tuple[Sequence[SaidLine], str]],
    words: Words,
    account: Account,
) -> ImportedPerson:
    memories = []
    for lines, text in remembered:
        others = tuple(dict.fromkeys(line.who for line in lines if line.who != name))
        memories.append(Memory(text, "conversation", tags=others, about=others))
    samples = _samples([one.line.said for one in messages if one.line.who == name and not one.is_user])
    voice = "\n".join(f"- {sample}" for sample in samples)
    account.took("lines of a character who is new", "the voice in its persona")
    return ImportedPerson(
        name,
        {"name": name, "lines": samples},
        prose_of(name, [(words("heading.speech"), voice)], words, account),
        gather_memories(memories, account),
        only_new=True,
    )


def _samples(lines: Sequence[str]) -> list[str]:
    """Return lines of usual length from the whole chat; else the first line."""
    usual = list(dict.fromkeys(line for line in lines if len(line) in SAMPLE))
    found = usual[:: max(1, -(-len(usual) // MOST_SAMPLES))]
    return found or [line_of(line, SAMPLE[-1]) for line in lines[:1]]
