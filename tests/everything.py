"""A world in which everything is switched on that can be: every layer and rule of memory, with files made by hand."""

from __future__ import annotations

import json

from gm.api.editing.gift import give_memories
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.goals import GOALS
from gm.layers.now import NOW
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from tests.stories.playing import set_sections

ALL_ON = """
soul: on
now: on
working: {enabled: on}
metacognitive: true
relationships: on
diary: on
goals: on
memory_kinds: on
share: {enabled: true, window_seconds: null}
capture: {dialogue: heard}
decay: {enabled: true}
retrieval: {strategy: hybrid, last: 30}
rag: {limit: 5}
importance: {from: facets}
memory: {duplicates: {days: 3, overlap: 0.8}}
allowance: {memories_per_day: 9}
reflection: {threshold: 60, method: questions, min_importance: 6, reset: before}
context: {prompt_tokens: 16000, sources: [about_present, location, goal, important_recent]}
selfcare: {enabled: true, min: 5, batch: 40, token_ceiling: 3000, post_ceiling: 1800, summary_ceiling: 4000}
conversations: {max: 12}
retention: {strategy: importance_weighted, max_observations: 45, max_reflections: 12}
persona: {max_tool_rounds: 2, consult: false, reason: true}
tools: {scope: self}
seeds: {lessons: [LESSON]}
lenses:
- {at: formation, name: dry, when: {words: [LENS]}, add: "ADDED", importance: -1}
"""
ALL_OFF = """
soul: off
now: off
working: {enabled: off}
metacognitive: false
relationships: off
diary: off
goals: off
memory_kinds: off
share: {}
capture: {}
decay: {}
retrieval: {}
rag: {}
importance: {}
memory: {}
allowance: {}
reflection: {}
context: {}
selfcare: {}
conversations: {}
retention: {}
persona: {}
tools: {}
seeds: {}
lenses: []
"""
GERMAN = {
    "LESSON": "Was man nicht zeigen kann, ist noch nicht fertig.",
    "LENS": "turm*",
    "ADDED": "Und wieder bleibt es an mir hängen.",
    "retrieval": "    replace: {gut: brauchbar}\n",
    "boost": "    when: {words: ['turm*']}\n    boost: {tags: [bone-towers], by: 0.4}\n",
    "belief": "Was steht, muss auch stehen können, wenn keiner hinsieht.",
    "fear": "Dass jemand hinter meinem Rücken glatt schleift, was rau sein soll.",
    "known": "LEKTION: Erst fragen, dann abreißen.",
    "subgoal": "Bis heute Abend eine Sache zu Ende bringen.",
    "thinks": "Wer mir hilft, will etwas dafür, und ich weiß noch nicht, was.",
    "goal": "Etwas bauen, das ohne mich stehen bleibt.",
    "regard": "Hat mir einmal die Lampe gehalten, ohne zu fragen, wozu.",
    "diary": "Ich habe heute niemandem gesagt, wie müde ich bin.",
}
ENGLISH = {
    "LESSON": "What cannot be shown is not finished yet.",
    "LENS": "dinner*",
    "ADDED": "And again it will be me who does the dishes.",
    "retrieval": "    replace: {good: tolerable}\n",
    "boost": "    when: {words: ['dinner*']}\n    boost: {tags: [cooking], by: 0.4}\n",
    "belief": "A table is only a table when somebody sits at it.",
    "fear": "That they come out of politeness and leave early.",
    "known": "LESSON: Ask first, then throw it away.",
    "subgoal": "Get one thing done by tonight.",
    "thinks": "Whoever helps me wants something for it, and I cannot tell what.",
    "goal": "Cook something that nobody has to be polite about.",
    "regard": "Once held the torch for me and did not ask what for.",
    "diary": "I told nobody today how tired I am.",
}


def everything_on(layout: Layout, *, discover: str | None = None, more: str = "") -> Layout:
    """Switch everything on in a fresh world, and put something into every layer by hand.

    Args:
        layout: The world; a studio (German) or a dinner (English), at day 0.
        discover: Who finds out who they are by asking; None = the last but one.
        more: Further settings, as whole sections of ``gm.yaml``.
    """
    words = GERMAN if "\nlanguage: de" in f"\n{layout.settings.read_text(encoding='utf-8')}" else ENGLISH
    text = ALL_ON
    for key in ("LESSON", "LENS", "ADDED"):
        text = text.replace(key, words[key])
    set_sections(layout.settings, text)
    set_sections(layout.settings, more)
    names = layout.agent_names()
    for folder in (layout.layer_folder(SOUL), layout.layer_folder(WORKING), layout.layer_folder(GOALS)):
        folder.mkdir(exist_ok=True)
    layout.layer_folder(RELATIONSHIPS).mkdir(exist_ok=True)
    layout.layer_folder(NOW).mkdir(exist_ok=True)
    layout.layer_folder(DIARY).mkdir(exist_ok=True)
    for number, name in enumerate(names):
        other = names[(number + 1) % len(names)]
        _layers_by_hand(layout, name, other, words)
    _bend(layout, names[0], words)
    persona = layout.persona(discover or names[-2])
    persona.write_text(
        persona.read_text(encoding="utf-8").replace("---\n", "---\nmode: discover\n", 1), encoding="utf-8"
    )
    give_memories(layout)
    return layout


def everything_off(layout: Layout) -> Layout:
    """Switch off again what ``everything_on`` has switched on; the files stay."""
    set_sections(layout.settings, ALL_OFF)
    for name in layout.agent_names():
        persona = layout.persona(name)
        front, rest = persona.read_text(encoding="utf-8").split("\n---\n", 1)
        lines = front.removeprefix("---\n").partition("\nlenses:\n")[0]
        persona.write_text(f"---\n{lines.removeprefix('mode: discover' + chr(10))}\n---\n{rest}", encoding="utf-8")
    return layout


def _layers_by_hand(layout: Layout, name: str, other: str, words: dict[str, str]) -> None:
    layout.layer(SOUL, name).write_text(
        f"# by hand\nbeliefs:\n  - {words['belief']}\nfears:\n  - {words['fear']} ({name})\n", encoding="utf-8"
    )
    layout.layer(WORKING, name).write_text(
        f"current_subgoal: {words['subgoal']}\nknown:\n  - '{words['known']} ({name})'\n", encoding="utf-8"
    )
    layout.layer(NOW, name).write_text(f"thinks:\n  - {words['thinks']} ({name})\n", encoding="utf-8")
    event = {"id": "goal-01", "at": "day-000", "event": "open", "text": f"{words['goal']} ({name})"}
    layout.layer(GOALS, name).write_text(json.dumps(event, ensure_ascii=False) + "\n", encoding="utf-8")
    regard = {
        "relationship_type": "ally",
        "trust_level": 0.3,
        "emotional_tone": "",
        "rationale": f"{words['regard']} ({name})",
        "interaction_count": 0,
        "first_met_at": "",
        "relationship_notes": "",
    }
    layout.layer(RELATIONSHIPS, name).write_text(
        json.dumps({other: regard}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    entry = {"day": "day-000", "mood": "", "location": "", "text": f"{words['diary']} ({name})", "tags": []}
    layout.layer(DIARY, name).write_text(json.dumps(entry, ensure_ascii=False) + "\n", encoding="utf-8")


def _bend(layout: Layout, name: str, words: dict[str, str]) -> None:
    """Put lenses of one's own into a persona, at the end of its front matter."""
    persona = layout.persona(name)
    front, rest = persona.read_text(encoding="utf-8").split("\n---\n", 1)
    lenses = (
        f"lenses:\n  - at: retrieval\n    name: mild\n{words['retrieval']}"
        f"  - at: association\n    name: nose\n{words['boost']}"
    )
    persona.write_text(f"{front}\n{lenses}---\n{rest}", encoding="utf-8")
