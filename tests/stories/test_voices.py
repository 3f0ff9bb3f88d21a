"""The letters of the bundled worlds say how each character talks, and show no sayings to be imitated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gm.api.worlds.create import create_world
from tests.cli.running import Run

MOST_WORDS = 16
"""Words of an example of ordinary talk."""


@pytest.mark.parametrize("template", ["studio", "dinner", "ferry", "orbit"])
def test_a_letter_says_how_its_character_talks_and_what_it_never_says(template: str, tmp_path: Path, run: Run) -> None:
    layout = create_world(tmp_path / "world", template)
    rule = "Kein Satz zieht ein Fazit" if template == "studio" else "No line sums up"
    for name in layout.agent_names():
        prompt = " ".join(run("context", name, "--prompt", "-w", layout.root).out.split())
        front, prose = layout.persona(name).read_text(encoding="utf-8").split("---\n", 2)[1:]
        voice = yaml.safe_load(front)["voice"]
        assert [*voice] == ["sentences", "never", "misses"]
        assert " ".join(voice.values()) in prompt
        assert rule in prompt
        own = re.search(r"^## (?:Voice|Stimme)\n(.*)", prose, re.M)
        examples = re.findall(r"\"([^\"]*)\"|»([^«]*)«", own[1]) if own else []
        assert all(len("".join(example).split()) <= MOST_WORDS for example in examples)
