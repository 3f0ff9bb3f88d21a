"""What happened before a day, as a short paragraph: the narrator's retelling of the day before, else made by rule.

By rule it says what was finished the day before, what is due on the day, what weighed most, who fell out with whom,
what was left without an answer, and the last line of the evening before; as much of it as ``MOST_WORDS`` allow.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice

from gm.api.answers.speech import Words, load_words
from gm.api.views.cast import gather_cast, view_frame
from gm.api.views.day import name_of_day
from gm.api.views.gallery import named_pieces
from gm.api.views.graphs.base import Cast
from gm.api.views.logbook import nodes_of_day
from gm.api.views.relationships import RegardShift, history_of
from gm.api.views.threads import thread_events
from gm.ask.prompt.render import inner_quotes
from gm.base.casefold import casefold
from gm.base.texts import cut_at_sentence, shorten_at_word
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.logbook import read_log
from gm.files.story.now import load_clock, load_now
from gm.layers.privacy import REFLECTIONS
from gm.layers.relationships import RELATIONSHIPS, TRUST
from gm.memory.share import MEMORIES, PRIVATE, quotes, withheld_nodes
from gm.model.calendar import parse_ref
from gm.model.thread import Thread, fold_events

MOST_WORDS = 260
MOST_OF_A_KIND = 3
"""Sentences of one kind."""
QUOTED = 240
"""Characters of a quotation: as many of its sentences as fit, whole; of a longer first one, its first words."""
FEW = 3
"""More who are addressed are called all."""
FALL = 0.1
"""Trust lost on a day, at least, to count as falling out."""
LEAST_REPEATED = 20
"""Characters of what one sentence quotes that another need not quote within a longer quotation."""
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_MARKS = re.compile(r"[»«›‹„“”‚‘’\"'.]")
_ENDS = (".", "!", "?", "…", "‹", "’")


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    source: str = ""


def view_recap(layout: Layout, day: int, hidden: Collection[str] = (), cast: Cast | None = None) -> str:
    """Return what happened before a day in the world's language; empty before the first one.

    Args:
        hidden: ``relationships`` leaves out who lost trust, ``private`` what quotes a private memory, ``memories`` or
            ``reflections`` what weighed most the day before.
        cast: All characters of the world; None = it is read.
    """
    with snapshot(layout):
        before = [logged for logged in layout.logged_days() if logged < day]
        if not before:
            return ""
        threads = _threads_before(layout, day)
        recap = _Telling(layout, day, before[-1], hidden, cast or gather_cast(view_frame(layout)))
        secrets = _Secrets(layout, hidden, {before[-1], *(one.since.day for one in threads if one.is_open)})
        if retold := list(secrets.open(recap.retold())):
            return retold[0].text
        groups = (
            recap.finished(),
            recap.due(threads),
            islice(recap.remembered(), 1),
            recap.broken(threads),
            recap.fallen_out(),
            recap.unanswered(threads),
        )
        found = [one for group in groups for one in islice(secrets.open(group), MOST_OF_A_KIND)]
        sentences = list(_without_repeats(found))
        last = [one for one in secrets.open(recap.last_line()) if one in _without_repeats([*sentences, one])]
        return _APOSTROPHE.sub("’", " ".join(_keep_within_limit(sentences, last)))


def _threads_before(layout: Layout, day: int) -> tuple[Thread, ...]:
    events, _ = thread_events(layout)
    earlier = (event for event in events if (at := parse_ref(event.at)) and at.day < day)
    return tuple(thread for thread in fold_events((), earlier) if thread.kind != "silence")


def _without_repeats(sentences: Iterable[_Sentence]) -> Iterator[_Sentence]:
    before: list[str] = []
    for one in sentences:
        source = casefold(_MARKS.sub("", one.source))
        if not any(_repeats(source, other) for other in before if source):
            before.append(source)
            yield one


def _repeats(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= LEAST_REPEATED and (one in other or other in one))


def _keep_within_limit(sentences: Iterable[_Sentence], last: list[_Sentence]) -> list[str]:
    kept: list[str] = []
    left = MOST_WORDS - sum(len(one.text.split()) for one in last)
    for text in (one.text for one in sentences):
        if len(text.split()) <= left:
            kept.append(text)
            left -= len(text.split())
    return [*kept, *(one.text for one in last)]


class _Secrets:
    def __init__(self, layout: Layout, hidden: Collection[str], days: Collection[int]) -> None:
        clock, _ = load_clock(layout)
        wanted = days if {PRIVATE, MEMORIES} & set(hidden) else ()
        nodes = chain.from_iterable(nodes_of_day(layout, clock, day).values() for day in wanted)
        self._nodes = withheld_nodes(nodes, hidden)

    def open(self, sentences: Iterable[_Sentence]) -> Iterator[_Sentence]:
        return (one for one in sentences if not quotes(one.source, self._nodes))


class _Telling:
    def __init__(self, layout: Layout, day: int, yesterday: int, hidden: Collection[str], cast: Cast) -> None:
        settings, clock, _ = load_now(layout)
        self._layout, self._day, self._yesterday, self._hidden = layout, day, yesterday, hidden
        self._cast = cast
        self._called = {cast.called(name) for name in cast.names}
        self._say: Words = load_words(settings.language, "gm.api.views")
        name = name_of_day(settings, clock, yesterday)
        say = self._say
        self._when = say("recap.when", weekday=name) if name else say("recap.when_day", day=yesterday)

    def retold(self) -> Iterator[_Sentence]:
        """Yield what the narrator told of the day before, if it did."""
        text = " ".join(read_log(self._layout, self._yesterday).closing.retold.split())
        if text:
            yield _Sentence(text, text)

    def finished(self) -> Iterator[_Sentence]:
        """Yield the pieces of the day before that say what they are."""
        paths = read_log(self._layout, self._yesterday).closing.finished
        pieces = named_pieces(self._layout, paths)
        key = "recap.finished"
        for piece in (pieces[path] for path in paths):
            about = " ".join(piece.description.split())
            if about and piece.maker in self._cast.names:
                values = {"who": self._cast.called(piece.maker), "title": inner_quotes(piece.title)}
                yield _Sentence(self._say(key, when=self._when, text=_end(_cut(about)), **values), about)
                key = "recap.finished_too"

    def remembered(self) -> Iterator[_Sentence]:
        """Yield what weighed most the day before, for whom it weighed most first."""
        highlights = read_log(self._layout, self._yesterday).closing.highlights
        for line in highlights if {MEMORIES, REFLECTIONS}.isdisjoint(self._hidden) else ():
            who, _, text = line.partition(": ")
            if text.strip() and who in self._called:
                yield self._sentence("recap.remembered", text, who=who)

    def due(self, threads: Iterable[Thread]) -> Iterator[_Sentence]:
        """Yield what is due, the latest first; an appointment only on its day."""
        pending = [one for one in threads if one.is_pending and one.due is not None and one.due <= self._day]
        for one in sorted(pending, key=lambda one: (-(one.due or 0), one.number)):
            if one.due == self._day or one.kind != "appointment":
                word = "due" if one.due == self._day else "late"
                yield self._of_thread(f"recap.{word}.{one.kind}{'' if one.to else '_to_nobody'}", one)

    def broken(self, threads: Iterable[Thread]) -> Iterator[_Sentence]:
        for one in threads:
            at = parse_ref(one.touched)
            if at and at.day == self._yesterday and one.to and one.outcome in ("broken", "missed"):
                yield self._of_thread(f"recap.{one.outcome}", one)

    def unanswered(self, threads: Iterable[Thread]) -> Iterator[_Sentence]:
        """Yield the addressed questions that have no answer yet, the newest first."""
        for one in sorted(threads, key=lambda one: one.since, reverse=True):
            if one.is_open and one.kind == "question" and one.to and (one.due is None or one.due > self._day):
                yield self._of_thread("recap.unanswered", one)

    def fallen_out(self) -> Iterator[_Sentence]:
        for (by, to), changes in self._changes().items():
            lost = changes[0].before.trust_level - changes[-1].after.trust_level
            if lost >= FALL:
                why = next((change.why for change in reversed(changes) if change.why), "")
                key = "recap.fell_out_because" if why else "recap.fell_out"
                yield self._sentence(
                    key, why, by=self._name_character(by), to=self._name_character(to), when=self._when
                )

    def _changes(self) -> Mapping[tuple[str, str], list[RegardShift]]:
        found: dict[tuple[str, str], list[RegardShift]] = {}
        for name in self._cast.names if RELATIONSHIPS.name not in self._hidden else ():
            for change in history_of(self._layout, self._cast, name)[0]:
                if change.at.day == self._yesterday and TRUST in change.changed:
                    found.setdefault((change.by, change.to), []).append(change)
        return found

    def last_line(self) -> Iterator[_Sentence]:
        lines = [line for entry in read_log(self._layout, self._yesterday).scenes for line in entry.dialogue]
        for who, text in lines[-1:]:
            yield self._sentence("recap.last", text, who=self._name_character(who))

    def _of_thread(self, key: str, thread: Thread) -> _Sentence:
        to = [self._name_character(name) for name in thread.to]
        named = self._say("recap.all") if len(to) > FEW else self._say.listed(to) if to else ""
        return self._sentence(
            key, thread.text, by=self._name_character(thread.by), to=named, when=self._when, due=thread.due
        )

    def _sentence(self, key: str, quoted: str, /, **values: object) -> _Sentence:
        line = " ".join(quoted.split())
        inner = inner_quotes(_cut(line))
        inner += "".join(end for begin, end in ("›‹", "‘’") if inner.rfind(begin) > inner.rfind(end))
        text = self._say("recap.quote", text=_end(inner))
        return _Sentence(self._say(key, text=text, **values), line)

    def _name_character(self, agent: str) -> str:
        return self._cast.called(agent) if agent in self._cast.names else agent


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return cut_at_sentence(line, QUOTED) or shorten_at_word(line, QUOTED)


def _end(text: str) -> str:
    return text if text.endswith(_ENDS) else f"{text}."
