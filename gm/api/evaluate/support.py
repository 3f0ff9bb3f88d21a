"""Whether answers in interviews rest on what is said to carry them, and traps are answered with not knowing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from gm.api.evaluate.material import Material
from gm.api.evaluate.measure import ALL, BY_WILSON, Found, Measure, number, share
from gm.api.evaluate.values import Case, Figure
from gm.base.casefold import says
from gm.base.texts import clip
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS
from gm.memory.recall.words import is_stop_word, split_words, stem
from gm.model.calendar import moment_of
from gm.model.character import Agent
from gm.model.interview import BOARD, PERSONA, PLAN, InterviewAnswer
from gm.model.interview import DIARY as DIARY_SAID
from gm.model.interview import RELATIONSHIPS as REGARDS
from gm.model.node import Node
from gm.model.world import World

NOT_KNOWING: Mapping[str, tuple[str, ...]] = {
    "de": (
        *("weiß ich nicht", "weiß nicht", "weiß es nicht", "weiß das nicht", "weiß davon nichts", "weiß ich nichts"),
        *("wüsste ich nicht", "keine Ahnung", "nie gehört", "nichts gehört", "nichts davon gehört", "sagt mir nichts"),
        *("kann ich nicht wissen", "kann ich dir nicht sagen", "kann ich Ihnen nicht sagen"),
        *("kenne ich nicht", "kenn ich nicht", "kenne keinen", "kenne keine", "war nicht dabei", "war ich nicht dabei"),
        *("erinnere mich nicht", "erinnere ich mich nicht", "hat mir niemand gesagt", "hat mir keiner gesagt"),
        *("heißt keiner so", "heißt niemand so", "war auf keinem", "war auf keiner", "weiß von keinem"),
        *("weiß von keiner", "weiß von nichts"),
    ),
    "en": (
        *("don't know", "do not know", "didn't know", "wouldn't know", "no idea", "never heard", "haven't heard"),
        *("have not heard", "can't know", "cannot know", "can't tell you"),
        *("couldn't tell you", "wasn't there", "was not there", "don't remember", "do not remember", "don't recall"),
        *("do not recall", "means nothing to me", "not that I know", "nobody told me", "no one told me"),
        *("nobody by that name", "no one by that name"),
    ),
}
"""Phrases of which one stands in an answer of not knowing."""
SHOWN = 160
_Judged = tuple[InterviewAnswer, str]


def _compute(material: Material) -> Found:
    if not material.interviews:
        return (), (), "no interview is kept: gm interview"
    said = [one for one in material.interviews if one.answer.strip()]
    answers = [one for one in said if not one.without]
    plain, traps = _judged(material, answers)
    other = [(one, why and _fault_of_sources(material, one, why)) for one, why in plain]
    figures = [
        _share(ALL, "supported", plain),
        _share(ALL, "supported by any source", other),
        _share(ALL, "traps: not known", traps),
    ]
    figures.append(number(ALL, "without an answer", len(material.interviews) - len(said)))
    for kind in dict.fromkeys(one.kind for one, _ in plain):
        figures.append(_share(ALL, f"supported: {kind}", [found for found in plain if found[0].kind == kind]))
    for name in dict.fromkeys(one.agent for one in answers):
        for what, found in (("supported", plain), ("traps: not known", traps)):
            figures.append(_share(name, what, [one for one in found if one[0].agent == name]))
    for without in dict.fromkeys(one.without for one in said if one.without):
        kept_from = _judged(material, [one for one in said if one.without == without])
        for what, judged in zip(("supported", "traps: not known"), kept_from, strict=True):
            figures.append(_share(ALL, f"{what}, without {' and '.join(without)}", judged))
    cases = [
        Case(agent=one.agent, at=one.at, text=f"{one.key}, {why}: {clip(one.answer, SHOWN)}")
        for one, why in (*traps, *other)
        if why
    ]
    return figures, cases, ""


def _judged(material: Material, answers: Iterable[InterviewAnswer]) -> tuple[list[_Judged], list[_Judged]]:
    """Return answers and answers to traps, each with its fault; empty = none."""
    plain: list[_Judged] = []
    traps: list[_Judged] = []
    for one in answers:
        if one.trap:
            traps.append((one, "" if says_not_knowing(one.answer) else "a trap, answered"))
        else:
            plain.append((one, _fault(material, one)))
    return plain, traps


def _share(of: str, name: str, found: Iterable[_Judged]) -> Figure:
    faults = [why for _, why in found]
    return share(of, name, faults.count(""), len(faults))


def _fault(material: Material, one: InterviewAnswer) -> str:
    """Return why no memory that an answer cites supports it; empty when one does."""
    if not one.cited:
        return "cites nothing"
    stems = partial(_stems, language=material.world.settings.language)
    own: Mapping[str, Node] = material.known.get(one.agent, {})
    found = [own[cited] for cited in one.cited if cited in own]
    if not found:
        return f"cites no memory of its own ({', '.join(one.cited)})"
    asked = moment_of(one.at)
    # after a whole day: all of that day's memories are known
    known = [node for node in found if (node.when <= asked if asked.scene else node.when.day <= asked.day)]
    if not known:
        return f"cites only what came later ({', '.join(one.cited)})"
    said = stems(one.answer)
    if not any(said & stems(node.description) for node in known):
        return f"shares no word with what it cites ({', '.join(one.cited)})"
    return ""


def _fault_of_sources(material: Material, one: InterviewAnswer, why: str) -> str:
    """Return what remains of a fault when the answer may rest on other sources than memories."""
    if not one.sources:
        return why
    world = material.world
    stems = partial(_stems, language=world.settings.language)
    said, held = stems(one.answer), sources_of(world, world.agents[one.agent]) if one.agent in world.agents else {}
    if any(said & stems(held.get(name, "")) for name in one.sources):
        return ""
    return f"shares no word with {', '.join((*one.cited, *one.sources))}"


def sources_of(world: World, agent: Agent) -> dict[str, str]:
    """Return the text of what an answer can rest on beside memories, by its name."""
    state, persona, mind = agent.state, agent.persona, agent.mind
    texts: Mapping[str, Iterable[object]] = {
        PERSONA: (agent.name, persona and persona.prose, *(persona.front.values() if persona else ())),
        PLAN: (
            *(state.current_task, *state.today_plan),
            *(event.event for event in world.clock.scheduled_events),
            *(thread.text for thread in world.threads if agent.id in thread.people),
        ),
        DIARY_SAID: (entry.text for entry in mind[DIARY]),
        REGARDS: (
            " ".join((other, one.relationship_type, one.emotional_tone, one.rationale, one.relationship_notes))
            for other, one in mind[RELATIONSHIPS].items()
        ),
        BOARD: (post.content for post in world.posts),
    }
    return {name: " ".join(map(str, found)) for name, found in texts.items()}


def _stems(text: str, language: str) -> set[str]:
    return {stem(word, language) for word in split_words(text) if not is_stop_word(word, language)}


def says_not_knowing(answer: str) -> bool:
    """Return whether an answer holds a phrase of ``NOT_KNOWING``, of any language."""
    return any(says(answer, phrase) for phrases in NOT_KNOWING.values() for phrase in phrases)


SUPPORT = Measure(
    name="support",
    definition="Of the kept answers of interviews to questions that are no traps, the share that cites a memory"
    " which exists, is the character's own, is not younger than the moment, and shares a content word (by its stem)"
    " with the answer; and the share that does so, or names another source (persona, plan, diary, relationships,"
    " board, as they are now) that shares one. Of those to traps, the share that holds a phrase of not knowing: "
    + "; ".join(f"{language}: {', '.join(phrases)}" for language, phrases in NOT_KNOWING.items())
    + ". Questions that got no answer count apart, and so do answers from which something was"
    " kept (--without).",
    source="state/.gm/interviews; the kinds of questions: Park et al. 2023, appendix B. The rule of support is gm's"
    " own: it finds false citations, and knows no paraphrase",
    compute=_compute,
    interval=BY_WILSON,
)
