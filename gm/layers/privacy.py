"""Words for what leaves a world when it is shown to others, the layers' names among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from gm.base.config import SettingProblem, Settings
from gm.base.texts import quoted
from gm.layers import LAYERS
from gm.memory.share import MEMORIES, PRIVATE

THOUGHTS, REASONS, PROMPTS, COST = "thoughts", "reasons", "prompts", "cost"
CAST, NUMBERS, PLATES, CLOSING, REFLECTIONS = "cast", "numbers", "plates", "closing", "reflections"
NOTES, ASIDES, CHAPTERS = "notes", "asides", "chapters"
"""Parts of a book; notes are what the Game Master adds to what is done, said and thought in a day, asides are thoughts
before a character's last one in a scene."""
RETOLD = "what is private may be told in scenes, and by what others remember of them: nothing looks for it there"
"""What keeping back private memories cannot do."""
BESIDE_STORY = (CAST, REASONS, NUMBERS, PLATES, CLOSING, NOTES, ASIDES)
"""What a book of the story alone leaves out."""


def private_words() -> tuple[str, ...]:
    """Return what can be kept back.

    Thoughts of scenes, the Game Master's reasons, all memories (reflections and plans among them), memories tagged
    private (or privat), what rests on them and promised silences, each layer, questions with their raw answers, and
    costs.
    """
    return (THOUGHTS, REASONS, MEMORIES, PRIVATE, *_layers(), PROMPTS, COST)


def inner_words() -> tuple[str, ...]:
    """Return what is told from inside a mind; it may contain a character's secrets."""
    return (THOUGHTS, REASONS, MEMORIES, *_layers())


def book_words() -> tuple[str, ...]:
    """Return what a book can leave out; ``private`` are memories and evenings with the tag private or privat."""
    return (THOUGHTS, *BESIDE_STORY, CHAPTERS, *_layers("export"), REFLECTIONS, MEMORIES, PRIVATE)


def card_words() -> tuple[str, ...]:
    """Return what a character card can hold of what a world keeps private."""
    return (THOUGHTS, MEMORIES, PRIVATE, *_layers("card"))


def _layers(feature: str = "") -> list[str]:
    return [layer.name for layer in LAYERS if feature not in layer.without]


def minds_in(words: Iterable[str]) -> frozenset[str]:
    """Return the ids of characters among words of what is kept back."""
    return frozenset(word for word in words if word not in (*private_words(), *book_words()))


def with_private(words: Collection[str]) -> tuple[str, ...]:
    """Return words of what is kept back; where a mind is, private memories and questions to models are as well."""
    more = (PRIVATE, PROMPTS) if minds_in(words) else ()
    return (*words, *(word for word in more if word not in words))


def kept_back(settings: Settings) -> tuple[str, ...]:
    """Return the words of what a world keeps private.

    All of them if ``publish.private`` is null; none if it is empty.
    """
    private = settings.publish.private
    return private_words() if private is None else with_private(private)


def check_private(
    settings: Settings, find: Callable[[str], str | None] = lambda _text: None
) -> tuple[Settings, list[SettingProblem]]:
    """Return settings whose ``publish.private`` has known words and ids alone, and what is wrong with it.

    An unknown word keeps everything back.

    Args:
        find: Returns the id of the character that a text names.
    """
    private = settings.publish.private
    if private is None:
        return settings, []
    named = {word: word if word in private_words() else find(word) for word in private}
    unknown = [word for word, known in named.items() if known is None]
    if not unknown:
        words = tuple(filter(None, map(named.get, private)))
        return replace(settings, publish=replace(settings.publish, private=words)), []
    words = (*private_words(), "characters")
    message = f"publish.private has {quoted(unknown[0])}, expected a list of some of {', '.join(words)}"
    hint = "correct the word, or leave the setting out to keep all back"
    problem = SettingProblem(("publish", "private"), "setting-value", message, hint)
    return replace(settings, publish=replace(settings.publish, private=None)), [problem]
