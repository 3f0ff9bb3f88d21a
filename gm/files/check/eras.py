"""Rules for archives, summaries and tiers."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.config import ConversationsSettings
from gm.base.errors import Problem
from gm.base.texts import quoted
from gm.files.check.evidence import check_citing, check_references
from gm.files.check.files import Files, check_suspects
from gm.files.check.nodes import check_metadata
from gm.files.formats.jsonl import JsonLine
from gm.memory.care import MOST_PINNED, split_ids


def check_places(files: Files) -> Iterator[Problem]:
    """A memory is in only one of stream, archive and summaries."""
    for name in files.names:
        archive = files.archives.get(name)
        for file in (files.streams.get(name), files.summaries.get(name)):
            if file is None or archive is None:
                continue
            for identifier in file.nodes.shared(archive.nodes):
                message = f"id {identifier!r} is in the archive too, in line {archive.nodes[identifier].number}"
                hint = f"an id is used once: delete one of the two lines, usually the one in {archive.shown}"
                yield file.at(file.nodes[identifier], ("id",), "error", "id-archived", message, hint)
        stream, summaries = files.streams.get(name), files.summaries.get(name)
        for identifier in stream.nodes.shared(summaries.nodes) if stream and summaries else ():
            assert summaries is not None
            message = f"id {identifier!r} is among the summaries too"
            hint = "an id is used once: give one of the two a number that was never used"
            yield summaries.at(summaries.nodes[identifier], ("id",), "error", "id-twice", message, hint)


def check_summaries(files: Files) -> Iterator[Problem]:
    """The evidence of a summary exists, and what it replaces is in the archive."""
    for file in (*files.summaries.values(), *files.archives.values()):
        archive = files.archives.get(file.agent)
        for identifier, runs in file.stands_for.items():
            place = file.nodes[identifier]
            replaced = list(split_ids(runs)) if isinstance(runs, list) else None
            if replaced is None or (runs and not replaced):
                message = "metadata.replaces is not a list of ids"
                hint = 'expected a list like ["vera-001..vera-120", "vera-122"]'
                yield file.at(place, ("metadata", "replaces"), "warning", "replaces-form", message, hint)
                continue
            missing = [one for one in replaced if archive is None or one not in archive.nodes]
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                message = f"{missing[0]!r}{more} are in this summary, but not in the archive"
                hint = "git has what was taken out of the archive; or correct metadata.replaces"
                yield file.at(place, ("metadata", "replaces"), "warning", "replaced-missing", message, hint)
    for file in files.summaries.values():
        yield from check_citing(file, files)
        yield from check_suspects(file, files, (check_references, check_metadata))


def check_watermark(files: Files) -> Iterator[Problem]:
    """``conv_summarized_until`` names an archived memory."""
    for name, doc in files.agents.items():
        mark = doc.data.get("conv_summarized_until")
        archive = files.archives.get(name)
        if mark is None or (isinstance(mark, str) and archive is not None and mark in archive.nodes):
            continue
        message = f"conv_summarized_until is {quoted(mark)}, which is not in the archive of {name}"
        hint = "it shows how far memories are summarised; write the last archived id, or null"
        yield doc.at(("conv_summarized_until",), "warning", "watermark", message, hint)


def check_tiers(files: Files) -> Iterator[Problem]:
    """At most ``MOST_PINNED`` memories of one character are pinned."""
    for name in files.names:
        own = filter(None, (files.streams.get(name), files.summaries.get(name)))
        pinned = [(file, number) for file in own for number in file.pinned]
        if len(pinned) > MOST_PINNED:
            file, number = pinned[MOST_PINNED]
            message = f"{len(pinned)} memories are pinned, at most {MOST_PINNED} should be"
            hint = "every search returns all of them; lower one with: gm memory tier ID critical"
            yield file.at(JsonLine(number, {}), ("metadata", "tier"), "warning", "tier-pinned", message, hint)


def check_conversations(files: Files) -> Iterator[Problem]:
    """``conversations.max`` has an effect only with self-care."""
    most = files.settings.conversations.max
    if most != ConversationsSettings().max and not files.settings.selfcare.enabled:
        message = f"conversations.max is {most}, and selfcare.enabled is false: no day condenses any by itself"
        hint = "switch selfcare on, or run: gm care --all"
        yield Problem(files.layout.shown(files.layout.settings), 0, 0, "info", "conversations-kept", message, hint)


RULES = (check_places, check_summaries, check_watermark, check_tiers, check_conversations)
