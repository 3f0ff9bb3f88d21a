"""Replies outside of scenes: the chosen scene, and the importance of memories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gm.ask.reply.extract import MOST_CHARACTERS, extract_object
from gm.ask.reply.parse import VALUE, Parsed, number_of, numbers_in, parse_reply, quote_beginning, validate_reply
from gm.base.casefold import search_key
from gm.model.master_replies import DirectorReply, OwnPremise, RatingReply, RatingsReply
from gm.model.reply_faults import Fault
from gm.model.scene import Scene
from gm.model.world import Agent, find_agent

KEY = "importance"
FROM_TEXT = "number taken out of the text"
SECRET_CHARACTERS = 16
"""Characters from which a secret is looked for in a premise; a shorter text may occur in it by chance."""

_REASON = r"(?:\s*[(,;]\s*[^\d\s].*|\s+[–—-]\s+[^\d\s].*)?"
_LINE = re.compile(rf"(?:[-*•]\s+)?(?:#?(?P<number>\d+)(?:\.\s|\s*[):]|\s+[–—=-]\s)\s*)?{VALUE}\.?{_REASON}")
_ECHO = re.compile(rf"(?:[-*•]\s+)?#?(?P<number>\d+)\s*[.):]\s.*(?:[:–—=→]|->)\s*{VALUE}\.?")
_LIST = re.compile(r"\[?\s*(-?\d+(?:[\s,;]+-?\d+)*)\s*\]?")
_BRACKETED = re.compile(r"\[\s*(-?\d+(?:[\s,;]+-?\d+)*)\s*\]")


def parse_rating(text: str) -> Parsed[RatingReply]:
    """Read the importance of one memory: ``7``, ``{"importance": 7}``, ``**7**/10, because …``."""
    if len(text) > MOST_CHARACTERS:
        return Parsed(None, (Fault("long_rating"),))
    found, repairs = _object(text)
    if isinstance(found, list) and len(found) == 1:
        found, repairs = found[0], (*repairs, "taken out of a list of one")
    if found is None or isinstance(found, str):
        plain = text.strip() if found is None else found.strip()
        numbers = numbers_in(plain)
        if len(numbers) != 1:
            return Parsed(None, (_explain_not_one(numbers, text),), repairs)
        found = numbers[0]
        repairs = repairs if plain.isdecimal() else (*repairs, FROM_TEXT)
    return validate_reply({KEY: found}, RatingReply, repairs)


def parse_ratings(text: str, count: int) -> Parsed[RatingsReply]:
    """Read the importance of ``count`` memories; another number of ratings is a problem.

    ``text`` has one number a line, numbered or not, or is ``{"importance": [7, 3]}``.
    """
    if len(text) > MOST_CHARACTERS:
        return Parsed(None, (Fault("long_ratings", wanted=count),))
    found, repairs = _object(text)
    if isinstance(found, dict):
        found = _in_order(found)
    if found is None or isinstance(found, str):
        plain = text if found is None else found
        found, wrong = _lines(plain)
        if wrong:
            return Parsed(None, (wrong,), repairs)
        repairs = repairs if _is_plain(plain) else (*repairs, "numbers taken out of the text")
    if not isinstance(found, list):
        found = [found]
    if len(found) != count:
        return Parsed(
            None, (Fault("count_of_one" if len(found) == 1 else "count", found=len(found), wanted=count),), repairs
        )
    return validate_reply({KEY: found}, RatingsReply, repairs)


def _object(text: str) -> tuple[object, tuple[str, ...]]:
    found = extract_object(text, (KEY, KEY.capitalize()))
    if found is None:
        return None, ()
    lowered = {key.lower(): value for key, value in found.data.items()}
    # a null is treated as an empty text: a missing number
    return ("" if lowered[KEY] is None else lowered[KEY], found.repairs) if KEY in lowered else (None, ())


def _explain_not_one(numbers: list[int | float], text: str) -> Fault:
    if numbers:
        return Fault("several_numbers", shown=", ".join(f"{number:g}" for number in numbers[:6]))
    return Fault("no_number", shown=quote_beginning(text))


def _lines(text: str) -> tuple[list[int | float], Fault | None]:
    plain = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(("```", "~~~"))).strip()
    whole = _LIST.fullmatch(plain)
    bracketed = _BRACKETED.findall(plain)
    if whole or len(bracketed) == 1:
        return [number_of(item) for item in re.split(r"[\s,;]+", whole[1] if whole else bracketed[0])], None
    values: list[int | float] = []
    for match in _ratings(plain):
        values.append(number_of(match["value"]))
        if match["number"] and float(match["number"]) != len(values):
            return [], Fault("order", number=len(values), shown=match["number"][:20])
    return values, None


def _ratings(text: str) -> Iterator[re.Match[str]]:
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip()) or _ECHO.fullmatch(line.strip())
        if match:
            yield match


def _is_plain(text: str) -> bool:
    return all(line.strip().isdecimal() for line in text.strip().splitlines())


def _in_order(values: dict[str, object]) -> list[object] | dict[str, object]:
    # ``{"1": 7, "2": 3}`` as the list it means; other objects unchanged.
    numbered = [str(number + 1) for number in range(len(values))]
    return [values[key] for key in numbered] if sorted(numbered) == sorted(values) else values


def parse_direction(text: str, offered: Sequence[Scene], agents: Mapping[str, Agent]) -> Parsed[DirectorReply]:
    """Read the choice of a scene from those ``offered``, with ids for names.

    Problems are a number outside the list, a private premise for a character who does not take part, and a common
    premise that reveals a private one.
    """
    parsed = parse_reply(text, DirectorReply)
    if parsed.reply is None:
        return parsed
    problems = tuple(_find_wrong_choices(parsed.reply, offered, agents))
    if problems:
        return Parsed(None, problems, parsed.repairs)
    return Parsed(_with_ids(parsed.reply, agents), (), parsed.repairs)


def _find_wrong_choices(reply: DirectorReply, offered: Sequence[Scene], agents: Mapping[str, Agent]) -> Iterator[Fault]:
    if reply.number > len(offered):
        yield Fault("not_in_list", number=reply.number, most=len(offered))
        return
    scene = offered[reply.number - 1]
    for place, own in enumerate(reply.premises):
        if find_agent(agents, own.who) not in scene.cast:
            cast = ", ".join(scene.cast)
            where, who = f"premises.{place}.who", repr(own.who[:60])
            yield Fault("not_in_scene", place=where, shown=who, number=reply.number, cast=cast)
    if any(_is_telling(reply.premise, secret) for secret in _secrets(scene)):
        yield Fault("tells_secret")


def _secrets(scene: Scene) -> Iterator[str]:
    if scene.intent and scene.intent not in scene.topic:
        yield scene.intent
        # a plan names its kind first: "Talk to Nami: the left half"
        yield scene.intent.partition(": ")[2]
    yield from scene.premises.values()


def _is_telling(premise: str, secret: str) -> bool:
    wanted = search_key(secret)
    return len(wanted) >= SECRET_CHARACTERS and wanted in search_key(premise)


def _with_ids(reply: DirectorReply, agents: Mapping[str, Agent]) -> DirectorReply:
    own = [OwnPremise(who=find_agent(agents, item.who) or item.who, text=item.text) for item in reply.premises]
    return reply.model_copy(update={"premises": own})
