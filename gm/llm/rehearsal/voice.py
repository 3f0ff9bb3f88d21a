"""One character's words in one turn."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import gcd
from pathlib import Path
from typing import TypeVar

import yaml

from gm.base.languages import ENGLISH, plain_code
from gm.base.packed import read_packed
from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import quote_sentences, stems, to_slot
from gm.llm.rehearsal.subjects import Matters, collect_matters

T = TypeVar("T")

ACT_TAIL = "act_tail"
SCENES = 7
"""Scenes of a day that rotation keeps apart."""

NEVER_TWICE = ("lines", "questions", "answers", "thoughts", "habits", "insights", "small_things")
"""Lists of which nothing returns within a month."""

TURNED = ("answers", "thoughts", "habits", "small_things")
"""Lists with another sentence each turn; the others use one for the whole scene."""

MIDWAY = frozenset(
    {"echo", "lead_answer", "bridge", "reply", "ask", "state", "thought_other", "thought_alone"}
    | {"game_move", "game_act", "game_thought"}
)
"""Slots that may be used in several turns of one scene; all others serve once a scene."""

_FIELD = re.compile(r"\{\w+\}")
_ENDS_IN_WORD = re.compile(r"\w\.\Z")
SHARES = 14
"""Most shares of a list; the others of a larger cast add their own name."""
_PHRASES = Path(__file__).with_name("phrases")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Voice:
    """Chooses words for one answer.

    Persona lists rotate by scene, phrases by scene and turn. What is said, done, thought or understood is left out if
    it was within a month (``fresh``, ``own``), and a small thing if the shown memories have it; what else is remembered
    takes the phrase whose use in them is oldest (``next_phrase``).
    """

    def __init__(self, cue: Cue) -> None:
        self.cue = cue
        self.dice = self.dice_for(cue.kind)
        understood = (node.description for node in cue.memories if node.depth)
        self.said = " ".join((*(line.text for line in cue.dialogue), *understood))
        self._uses: dict[str, int] = {}
        self._past = "\n".join((cue.said, *(node.description.casefold() for node in cue.memories)))

    @cached_property
    def matters(self) -> Matters:
        return collect_matters(self.cue, load_pack(self.cue.language))

    @cached_property
    def given_topic(self) -> str:
        """The topic of the scene; a brief by its common name."""
        return self._brief_name if self.cue.here.topic_kind == "brief" else self.cue.scene.topic.strip()

    @cached_property
    def events(self) -> tuple[str, ...]:
        """Events since the last plan: titles of work, or the brief by its common name."""
        texts = (
            self._brief_name if item.get("kind") == "brief" else (item.get("title") or item.get("text") or "").strip()
            for item in self.cue.replan
        )
        return tuple(text for text in texts if text)

    @property
    def _brief_name(self) -> str:
        return load_pack(self.cue.language)["brief_name"][0]

    def dice_for(self, purpose: str) -> random.Random:
        """Return dice for a purpose that do not change other throws."""
        cue = self.cue
        return random.Random(f"{cue.dice}/{purpose}/{cue.here.day}/{cue.scene.ref.scene}/{cue.id}/{cue.turn}")

    def chance(self, probability: float) -> bool:
        return self.dice.random() < probability

    def phrase(self, slot: str, **fields: str) -> str:
        cue = self.cue
        own = share_of(cue.language, slot, cue.index, len(cue.world.agents))
        if not own:
            return ""
        step = cue.here.day * 11 + cue.scene.ref.scene + (cue.turn if slot in MIDWAY else 0) + self._use(slot)
        return self._fill(own[(self._salt(slot) + step) % len(own)], fields)

    def next_phrase(self, slot: str, **fields: str) -> str:
        """Fill the least recently used phrase of a slot; empty without phrases."""
        texts = self._turn_phrases(slot)
        return self._fill(texts[0], fields) if texts else ""

    def fresh(self, slot: str, **fields: str) -> str:
        """Fill the next phrase of a slot in a new way; empty when there is none."""
        return self._first_new(self._fill(text, fields) for text in self._turn_phrases(slot))

    def fresh_about(self, slot: str, subjects: Sequence[str] = (), **fields: str) -> str:
        """Fill a phrase with a ``topic``, if possible one not yet spoken of."""
        texts = self._turn_phrases(slot)
        known = self.matters.unspoken if slot == "thought_topic" else self.matters.subjects
        topics = list(self._subjects(subjects or known))
        return self._first_new(self._fill(text, {**fields, "topic": topic}) for text in texts for topic in topics)

    def fresh_quote(self, slot: str, quotes: Sequence[str]) -> str:
        new = [quote for quote in self._rotate_from(slot, quotes) if self.is_new(quote) and quote not in self.said]
        texts = self._turn_phrases(slot)
        return self._first_new(self._fill(text, {"quote": to_slot(quote, 120)}) for quote in new for text in texts)

    def extended(self, texts: Sequence[str]) -> str:
        """Append how it is done, in a new combination, or ""."""
        tails = self._turn_phrases(ACT_TAIL)
        return self._first_new(f"{text}{tail}" for tail in tails for text in self._rotate_from(ACT_TAIL, texts))

    def gesture(self) -> str:
        """Return an action in the third person without a subject; empty when all was done."""
        if self.chance(0.35) and (text := self.fresh_about("act_topic")):
            return text
        habits = self.list_of("habits") or self.phrases("habit")
        plain = self.own("habits") or self._first_new(iter(self.phrases("habit")))
        return plain or self.extended(habits) or self.fresh_about("act_topic")

    def thought(self, task: str, other: str = "", about: str = "") -> str:
        """Return a thought; empty when all was thought."""
        dice = self.dice.random()
        found = self.own("thoughts", about) if dice < 0.45 else ""
        if other and 0.45 <= dice < 0.65:
            found = self.fresh("thought_other", other=other)
        if not found and dice < 0.85:
            found = self.fresh_about("thought_topic")
        return found or self.fresh("thought_alone", task=task) or self.fresh_about("thought_topic")

    def insight(self, about: str) -> str:
        others = [text for text in self.matters.subjects if text not in about and about not in text]
        pair = self.fresh_about("insight_pair", others, about=about) if others else ""
        return pair or self.phrase("insight", about=about)

    def noticed(self, quotes: Sequence[str]) -> str:
        """Return what the character notices about a place; empty without sentences about it."""
        quote = next(iter(self._rotate_from("small_place", quotes)), "")
        return quote and self.phrase("small_place", weekday=self.cue.here.weekday, quote=to_slot(quote, 120))

    def phrases(self, slot: str) -> list[str]:
        return [self._fill(text, {}) for text in self._turn_phrases(slot)]

    def is_new(self, text: str) -> bool:
        """Return whether a text is unused within a month."""
        return text.rstrip(" .!?…").casefold() not in self._past

    def _subjects(self, known: Sequence[str]) -> Iterator[str]:
        return map(self.topic, self._rotate_from("subjects", known))

    def _turn_phrases(self, slot: str) -> list[str]:
        return self._rotate_from(slot, share_of(self.cue.language, slot, self.cue.index, len(self.cue.world.agents)))

    def _rotate_from(self, key: str, texts: Sequence[str]) -> list[str]:
        if not texts:
            return []
        at = self.cue.scene.ref
        start = (self._salt(key) + at.day * 11 + at.scene * 3 + self.cue.turn) % len(texts)
        return sorted([*texts[start:], *texts[:start]], key=lambda text: self._past.rfind(_core(text)))

    def _first_new(self, texts: Iterator[str]) -> str:
        found = next((text for text in texts if self.is_new(text)), "")
        self._past += f"\n{found.casefold()}" if found else ""
        return found

    def _fill(self, text: str, fields: Mapping[str, str]) -> str:
        return (text if self.cue.index < SHARES else self._mark(text)).format_map(fields)

    def shared(self, slot: str, **fields: str) -> str:
        """Fill a phrase that all characters share: fragments, never whole sentences."""
        return self.dice.choice(load_pack(self.cue.language)[slot]).format_map(fields)

    def own(self, key: str, about: str = "") -> str:
        """Choose a sentence from a persona list (lines, questions, answers, thoughts …); empty without one.

        Of what is said, done, thought or understood, one not used within a month; ``about``: one on this text's subject
        is preferred.
        """
        pool = self.list_of(key)
        if key in NEVER_TWICE:
            pool = [text for text in pool if self.is_new(text)]
        if not pool:
            return ""
        due = self._list_due(key, pool)
        due = [text for text in due if text not in self.said] or [text for text in pool if text not in self.said] or due
        wanted = stems(about)
        chosen = max(due, key=lambda text: len(wanted & stems(text))) if wanted else due[0]
        self.said += f" {chosen}"
        if key in NEVER_TWICE:
            self._past += f"\n{chosen.casefold()}"
        return chosen

    def list_of(self, key: str) -> list[str]:
        """Return a persona list; for lines and questions, else the prose's quotations."""
        listed = [text for text in self.cue.persona.sentences(key) if text.strip()]
        quoted = {"lines": self.matters.lines, "questions": self.matters.questions} if not listed else {}
        return listed or list(quoted.get(key, ()))

    def topic(self, words: str) -> str:
        """Return a topic as phrases expect it: short, if possible without article."""
        pack = load_pack(self.cue.language)
        text = to_slot(words, 70)
        known = words in self.cue.topics.values() or words in self.matters.subjects
        known = known or (text[:1].islower() and len(text.split()) <= 6)
        for article in pack.get("articles", ()):
            if text.startswith(f"{article} ") and text[len(article) + 1 : len(article) + 2].isupper():
                text = text[len(article) + 1 :]
        return pack["topic_known" if known else "topic_other"][0].format_map({"text": text})

    def rotated(self, key: str, pool: Sequence[T], step: int) -> T:
        """Return the item of ``pool`` at a step; the start differs by character."""
        return pool[(self._salt(key) + step) % len(pool)]

    def named(self, text: str, name: str) -> str:
        """Append a name to a short sentence: ``…, Vera.``"""
        if not name or name in text or len(text) > 110 or len(quote_sentences(text)) != 1:
            return text
        if text.endswith("?") and text[-2:-1].isalpha():
            return f"{text[:-1]}, {name}?"
        return f"{text[:-1]}, {name}." if _ENDS_IN_WORD.search(text) else text

    def _list_due(self, key: str, pool: Sequence[str]) -> list[str]:
        at, size = self.cue.scene.ref, len(pool)
        step, per_day = at.scene, SCENES
        if key in TURNED:
            step, per_day = step * 2 + (self.cue.turn - 1) % 2, SCENES * 2
        width = max(1, size // per_day)
        start = self._salt(key) + at.day * _coprime(size * 3 // 8 + 1, size) + step * width
        start += self._use(key) * (size // 2)
        stride = _coprime(size * 5 // 8 + 1, size)
        return [pool[(start + offset) * stride % size] for offset in range(width)]

    def _salt(self, key: str) -> int:
        return zlib.crc32(f"{self.cue.dice}/{self.cue.id}/{key}".encode())

    def _use(self, key: str) -> int:
        used = self._uses.get(key, 0)
        self._uses[key] = used + 1
        return used

    def _mark(self, phrase: str) -> str:
        """Weave the own name into the whole sentences of a phrase, before other texts fill it."""
        pack = load_pack(self.cue.language)
        own = to_slot(self.cue.name).replace("{", "{{").replace("}", "}}")
        marked = []
        for sentence in quote_sentences(phrase):
            slot = {"?": "mark_question", ":": "mark_lead", ".": "mark", "!": "mark"}.get(sentence[-1], "")
            bare = sentence.rstrip(".!") if slot == "mark" else sentence
            marked.append(pack[slot][0].format_map({"text": bare, "own": own}) if slot else sentence)
        return " ".join(marked)


@lru_cache(maxsize=4096)
def _core(text: str) -> str:
    # The longest part between a phrase's fields, by which its use is recognised.
    return max(_FIELD.split(text), key=len).strip(" .,!?…:»«“”").casefold()


def _coprime(least: int, size: int) -> int:
    return next(n for n in range(least, least + size + 2) if gcd(n, size) == 1)


@lru_cache(maxsize=8)
def load_pack(language: str) -> dict[str, tuple[str, ...]]:
    """Load a language's phrases, English when there are none."""
    packs = read_packed(_PHRASES.with_name("phrases.tar.bz2"), _PHRASES, ends=".yaml")
    loaded = yaml.load(packs.get(f"{plain_code(language)}.yaml") or packs[f"{ENGLISH}.yaml"], Loader=_LOADER)
    return {slot: tuple(entries) for slot, entries in loaded.items()}


@lru_cache(maxsize=4096)
def share_of(language: str, slot: str, index: int, count: int) -> tuple[str, ...]:
    """Return one character's phrases: those with a number ≡ ``index`` modulo the shares, which never overlap.

    ``index`` is its place in the cast of ``count``, from 0.
    """
    shares = min(count, SHARES)
    return load_pack(language)[slot][index % shares :: shares]
