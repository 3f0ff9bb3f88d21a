"""Project files with which a coding assistant plays a world through the mailbox."""

from __future__ import annotations

import re
import unicodedata
from string import Template

from gm.errors import UsageError
from gm.model.character import Agent
from gm.store.commits.writer import writing
from gm.store.layout import Layout
from gm.store.load import load_world
from gm.store.shipped import shipped_assistant
from gm.tools.create import make_files

FOLDERS = {"claude-code": ".claude"}


def add_assistant(layout: Layout, assistant: str) -> tuple[str, ...]:
    """Add a command that plays a day, and one subagent for each character. What exists stays as it is.

    Args:
        layout: The world.
        assistant: Which coding assistant.

    Returns:
        Paths of the new files inside the world.

    Raises:
        UsageError: This assistant is not known here.
    """
    check_assistant(assistant)
    source = shipped_assistant(assistant)
    agent_text = Template((source / "agent.md").read_text(encoding="utf-8"))
    files = {"commands/day.md": (source / "day.md").read_text(encoding="utf-8")}
    for slug, agent in _slugs(tuple(load_world(layout).world.agents.values())).items():
        name = " ".join(agent.name.replace('"', "").split())
        files[f"agents/{slug}.md"] = agent_text.substitute(slug=slug, name=_one_line(name), id=_one_line(agent.id))
    with writing(layout, "gm init"):
        return make_files(layout, {f"{FOLDERS[assistant]}/{name}": text for name, text in files.items()})


def check_assistant(name: str) -> None:
    """Make sure that an assistant is known.

    Raises:
        UsageError: It is not.
    """
    if name not in FOLDERS:
        raise UsageError(f"no files are known for the assistant {name!r}", "known: " + ", ".join(FOLDERS))


def _slugs(agents: tuple[Agent, ...]) -> dict[str, Agent]:
    """Name the subagents: the ids in lower-case letters, digits and hyphens, each once."""
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


def _one_line(text: str) -> str:
    """Keep a name from breaking the YAML that it is put into."""
    return re.sub("[\x00-\x1f:#{}\\[\\]\"']", " ", text).strip()
