"""What the character thinks of somebody after a talk: now and then it moves a little, and it is said why."""

from __future__ import annotations

from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.phrases import load_pack
from gm.llm.rehearsal.speech import Moment
from gm.llm.rehearsal.voice import Voice

MOVED = 0.35
"""How often a talk changes what one thinks of the other."""
WORSE = 0.3
STEP = 0.15
CLEAR = 0.25
"""Trust from which on, to either side, people are something to each other."""
QUOTES = "“”»«"


def compose_regards(cue: Cue, voice: Voice, moment: Moment) -> list[dict[str, object]]:
    """Say what has changed, in the last turn of a talk; empty as a rule."""
    dice = voice.dice_for("regard")
    if not moment.last or moment.partner is None or not cue.dialogue or dice.random() >= MOVED:
        return []
    other = moment.partner.id
    known = cue.regards.get(other) if cue.regards else None
    trust = known[1] if known else 0.3 * (other in cue.persona.close) - 0.3 * (other in cue.persona.far)
    worse = dice.random() < (2 * WORSE if other in cue.persona.far else WORSE)
    trust = max(-1.0, min(1.0, round(trust - STEP if worse else trust + STEP, 2)))
    slot = "regard_ally" if trust >= CLEAR else "regard_rival" if trust <= -CLEAR else "regard_neutral"
    names = load_pack(cue.language)[slot]
    return [
        {
            "with": other,
            "type": known[0] if known and known[0] in names else dice.choice(names),
            "trust": trust,
            "tone": dice.choice(load_pack(cue.language)["tone_bad" if worse else "tone_good"]),
            "why": voice.phrase("regard_worse" if worse else "regard_better", topic=moment.topic.strip(QUOTES)),
            "notes": "",
        }
    ]
