"""Create a world from a template."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template as Pattern
from typing import Any

from gm.api.editing.schema import MODELINE, add_editor_files
from gm.api.worlds.gitattributes import GITATTRIBUTES
from gm.base.errors import GmError, UsageError
from gm.base.texts import counted
from gm.files import relative_paths
from gm.files.commits.steps import Create
from gm.files.commits.writer import writing
from gm.files.formats.disk import make_private
from gm.files.formats.document import render_document
from gm.files.layout import Layout, is_world
from gm.files.load import load_world
from gm.files.media.library import list_texts
from gm.files.packaged.recorded import list_recorded, recorded_files
from gm.files.packaged.shipped import shipped_assistant, shipped_prompts, shipped_world, shipped_worlds
from gm.files.story.now import first_bulletin, first_clock, first_mood
from gm.files.uncommitted.beside import make_files
from gm.model.world import Agent, World

SETTINGS = "gm.yaml"
"""Beside recorded days: what they were played with, added to the template's settings."""
ASSISTANTS: Mapping[str, Mapping[str, str]] = {
    "claude-code": {"day.md": ".claude/commands/day.md", "agent.md": ".claude/agents/$slug.md"},
    "agents": {"AGENTS.md": "AGENTS.md"},
}
"""Packs for coding assistants: where each of their files comes to lie. One with ``$slug`` is made for each character;
``AGENTS.md`` is the file that many assistants read."""


def create_world(folder: str | os.PathLike[str], template: str, *, days: int = 0) -> Layout:
    """Create a world at day 0, or after recorded days.

    Args:
        template: Name of a world that comes with gm, such as ``dinner``.
        days: Number of its recorded days that the world has behind it; 0 = none.

    Raises:
        UsageError: No such template or recorded days, or the folder is a world.

    Examples:
        >>> gm.create_world(folder / "dinner", "dinner").agent_names()
        ('alex', 'casey', 'jordan')
    """
    if template not in shipped_worlds():
        raise UsageError(f"there is no template {template!r}", "templates: " + ", ".join(shipped_worlds()))
    if days and days not in list_recorded(template):
        known = {name: ", ".join(map(str, list_recorded(name))) for name in shipped_worlds()}
        raise UsageError(
            f"the template {template!r} is not recorded for {counted(days, 'day')}",
            "recorded days: " + "; ".join(f"{name}: {numbers}" for name, numbers in known.items() if numbers),
        )
    check_folder(Path(folder))
    recorded = recorded_files(template, days) if days else None
    return write_new_world(Path(folder), Layout(shipped_world(template)), "gm init", recorded)


@dataclass(frozen=True, slots=True)
class Template:
    """A world that comes with gm, at day 0 or after recorded days."""

    template: str
    days: int
    title: str
    premise: str
    language: str
    cast: tuple[str, ...]

    @property
    def key(self) -> str:
        """The template and its days, as ``studio-3``."""
        return f"{self.template}-{self.days}"


@cache
def describe_templates() -> tuple[Template, ...]:
    """Return the worlds that ``create_world`` can make."""
    found = []
    for name in shipped_worlds():
        world = load_world(Layout(shipped_world(name))).world
        about, cast = world.settings.world, tuple(agent.name for agent in world.agents.values())
        for days in (0, *list_recorded(name)):
            found.append(Template(name, days, about.title, about.premise, world.settings.language, cast))
    return tuple(found)


def check_folder(folder: Path) -> None:
    """Check that a world can be made in a folder.

    Raises:
        UsageError: It is a file, or a world.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file", "name a folder that does not exist yet")
    if folder.exists() and is_world(folder):
        raise UsageError(f"{folder} is a world already", "name another folder")


def write_new_world(folder: Path, source: Layout, command: str, recorded: Mapping[str, str] | None = None) -> Layout:
    """Make a folder a world with the settings, personas, library and prompts of a source; existing files stay.

    Args:
        recorded: Files of recorded days.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GmError(f"cannot make {folder}: {error.strerror}") from error
    target = Layout(folder.resolve())
    with writing(target, command) as writer:
        steps = _first_files(source, target)
        if recorded:
            make_private(target.traces)
            files = {**recorded, SETTINGS: _read_settings(source) + recorded.get(SETTINGS, "")}
            steps = [step for step in steps if step.path not in files]
            steps += [Create(path, text) for path, text in files.items()]
        add_editor_files(target)
        # first the files of no commit: without settings the folder is not a world, so that init can be repeated
        make_files(target, {step.path: step.text for step in steps if not relative_paths.is_written(step.path)})
        writer.commit([step for step in steps if relative_paths.is_written(step.path)], recorded=False)
    return target


def _read_settings(source: Layout) -> str:
    return MODELINE + source.settings.read_text(encoding="utf-8")


def _first_files(source: Layout, target: Layout) -> list[Create]:
    steps: list[Create] = [Create(SETTINGS, _read_settings(source))]
    for path in sorted(source.personas.glob("*.md")):
        steps.append(Create(source.shown(path), path.read_text(encoding="utf-8")))
    # the studio lies in a checkout beside the prompts that all worlds share
    own_prompts = sorted(source.prompts.rglob("*")) if source.prompts != shipped_prompts() else ()
    for path in (*list_texts(source), *filter(Path.is_file, own_prompts)):
        steps.append(Create(source.shown(path), path.read_text(encoding="utf-8")))
    steps += first_day(target, load_world(source).world)
    steps.append(Create(".gitattributes", GITATTRIBUTES))
    return steps


def first_day(target: Layout, world: World) -> list[Create]:
    """Return the state of day 0, which depends on settings and personas only, not on the state of ``world``."""
    steps = [
        Create(target.shown(target.world), render_document(first_clock(world.settings))),
        Create(target.shown(target.bulletin), render_document(first_bulletin(world.settings))),
    ]
    for agent in world.agents.values():
        steps.append(Create(target.shown(target.agent(agent.id)), render_first_state(agent)))
        # empty, so that git knows the file, and a diff shows the first memories
        steps.append(Create(target.shown(target.stream(agent.id)), ""))
    return steps


def first_state(agent: Agent) -> dict[str, Any]:
    """Return the agent file of day 0."""
    return {
        "name": agent.name,
        "position": agent.front_values.home,
        "current_task": "",
        "today_plan": [],
        "mood": first_mood(agent.front_values),
        "importance_accumulator": 0,
        "last_reflection": None,
    }


def render_first_state(agent: Agent) -> str:
    """Return the text of the agent file of day 0."""
    return render_document(first_state(agent))


def add_assistant(layout: Layout, assistant: str) -> tuple[str, ...]:
    """Add files for a coding assistant that say how it plays a day, and return the new paths.

    Raises:
        UsageError: The assistant is unknown.
    """
    check_assistant(assistant)
    source = shipped_assistant(assistant)
    cast = _slugs(tuple(load_world(layout).world.agents.values()))
    files = {}
    for name, place in ASSISTANTS[assistant].items():
        text = (source / name).read_text(encoding="utf-8")
        if "$slug" not in place:
            files[place] = text
            continue
        for slug, agent in cast.items():
            called = _safe_in_yaml(" ".join(agent.name.replace('"', "").split()))
            files[place.replace("$slug", slug)] = Pattern(text).substitute(
                slug=slug, name=called, id=_safe_in_yaml(agent.id)
            )
    with writing(layout, "gm init"):
        return make_files(layout, files)


def check_assistant(name: str) -> None:
    """Check that an assistant is known.

    Raises:
        UsageError: It is not.
    """
    if name not in ASSISTANTS:
        raise UsageError(f"no files are known for the assistant {name!r}", "known: " + ", ".join(ASSISTANTS))


def _slugs(agents: tuple[Agent, ...]) -> dict[str, Agent]:
    found: dict[str, Agent] = {}
    for agent in agents:
        plain = unicodedata.normalize("NFKD", agent.id.lower().replace("ß", "ss"))
        slug = re.sub("[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode()).strip("-") or "character"
        number = 2
        unique = slug
        while unique in found:
            unique = f"{slug}-{number}"
            number += 1
        found[unique] = agent
    return found


def _safe_in_yaml(text: str) -> str:
    return re.sub("[\x00-\x1f:#{}\\[\\]\"']", " ", text).strip()
