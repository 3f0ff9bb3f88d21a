"""What ``--help`` says: every command in its order, every option with a sentence, no line too long."""

from __future__ import annotations

import re
import shlex
from importlib import import_module

import click
import pytest

from gm.cli import COMMANDS, EVERYDAY, MIND, SECTIONS
from gm.cli import gm as commands
from gm.cli.reference import all_commands
from gm.cli.world import OTHER_WORDS, commands_meant
from gm.files.layout import Layout
from tests.cli.running import Run

WIDTH = 100
OPTION = re.compile(r"^  (-\S.*?)(?:  |$)", re.M)


def command_of(name: str) -> click.Command:
    module, attribute = COMMANDS[name][0].split(":")
    command = getattr(import_module(module, "gm.cli"), attribute)
    assert isinstance(command, click.Command)
    return command


def test_the_overview_lists_the_commands_of_every_day(run: Run) -> None:
    outcome = run("--help")
    assert (outcome.code, outcome.err) == (0, "")
    listed = outcome.out.partition("\nEvery day:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\S+)", listed, re.M) == list(EVERYDAY)
    assert set(EVERYDAY) < set(COMMANDS)
    assert len(EVERYDAY) == 12
    assert "gm help --all" in outcome.out


def test_help_lists_all_commands_in_their_order_and_with_their_sentences(run: Run) -> None:
    outcome = run("help", "--all")
    assert (outcome.code, outcome.err) == (0, "")
    options, _, listed = outcome.out.partition(f"\n{SECTIONS['new']}:\n")
    listed, _, end = listed.partition("\n\n  Begin: ")
    assert re.findall(r"^  (\S+)", listed, re.M) == list(COMMANDS)
    assert re.findall(r"^(\S.*):$", listed, re.M) == list(SECTIONS.values())[1:]
    told = " ".join(listed.split())
    for name, (_, sentence) in COMMANDS.items():
        assert f"{name} {sentence}" in told
    assert not set(MIND) & set(COMMANDS)
    assert "--version" in options
    assert "gm init my-world" in end


def test_a_list_of_commands_cuts_no_sentence_off(run: Run) -> None:
    groups = [path for path, command in all_commands() if isinstance(command, click.Group)]
    assert len(groups) > 8
    for path in groups:
        assert "..." not in run(*path.split()[1:], "--help").out.partition("\nCommands:\n")[2], path


def test_layers_of_a_mind_have_their_commands_under_mind_and_under_their_old_names(run: Run) -> None:
    outcome = run("mind", "--help")
    listed = outcome.out.partition("\nCommands:\n")[2]
    assert re.findall(r"^  (\S+)", listed, re.M) == list(MIND)
    for name in MIND:
        usage, _, told = run("mind", name, "--help").out.partition("\n")
        assert usage.startswith(f"Usage: gm mind {name} ")
        assert run(name, "--help").out == usage.replace("gm mind", "gm") + f"\n{told}"


def test_making_a_world_and_playing_a_day_come_first() -> None:
    assert list(COMMANDS)[:3] == ["new", "init", "advance-day"]


def test_short_and_long_help_are_the_same(run: Run) -> None:
    assert run("-h").out == run("--help").out
    assert run("advance-day", "-h").out == run("advance-day", "--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_called_what_the_overview_calls_it(name: str) -> None:
    command = command_of(name)
    assert command.name == name
    sentence = COMMANDS[name][1]
    assert re.fullmatch(r"[A-Z].*[^.]\.", sentence), "one sentence"


@pytest.mark.parametrize("name", [*COMMANDS, *MIND])
def test_help_begins_with_the_sentence_of_the_overview(name: str) -> None:
    context = click.Context(commands)
    command = commands.get_command(context, name)
    assert command is not None
    paragraph = (command.help or "").partition("\n\n")[0]
    assert " ".join(paragraph.split()) == {**COMMANDS, **MIND}[name][1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    for parameter in command_of(name).params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.help, parameter.opts


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_the_help_is_too_long(run: Run, name: str) -> None:
    assert all(len(line) <= WIDTH for line in run(name, "--help").out.splitlines())


def test_a_day_explains_its_options_in_order(run: Run) -> None:
    outcome = run("advance-day", "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(
        "Usage: gm advance-day [OPTIONS]\n\n  Play the next day, or continue an interrupted one."
    )
    described, _, options = outcome.out.partition("\nOptions:\n")
    assert "goes on where it stopped" in " ".join(described.split())
    names = [name.split()[0].rstrip(",") for name in OPTION.findall(options)]
    assert names[0] == "-w", "where comes first"
    assert names[-2:] == ["--json", "-h"], "what is the same for all commands comes last"
    assert names.index("--days") < names.index("--model") < names.index("--seed")
    assert len(names) == len(set(names)) == len(command_of("advance-day").params) + 1  # and --help


def test_help_asks_no_model_and_needs_no_world(run: Run, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    monkeypatch.chdir(str(tmp_path))
    assert run("advance-day", "--help").code == 0
    assert run("advance-day", "-w", "nowhere", "--help").code == 0


def test_gm_alone_is_a_question_for_help(run: Run) -> None:
    assert run() == run("--help")


@pytest.mark.parametrize("words", [("help", "status"), ("status", "--help")])
def test_help_may_come_first(run: Run, words: tuple[str, ...]) -> None:
    outcome = run(*words)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: gm status [OPTIONS]")
    assert run("help") == run("--help")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("advance", "Did you mean advance-day?"),
        ("advence", "Did you mean advance-day?"),
        ("statsu", "Did you mean stats or status?"),
        ("undo", "Did you mean rewind?"),
        ("config", "Did you mean settings?"),
        ("git", "Did you mean git-setup or gift?"),
        ("xyzzy", ""),
    ],
)
def test_a_command_that_does_not_exist_brings_those_that_may_be_meant(run: Run, typed: str, meant: str) -> None:
    outcome = run(typed)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"error: No such command {typed!r}. {meant}".rstrip() + "\n  see: gm --help\n"


def test_other_words_are_no_commands_and_lead_to_one() -> None:
    for name, words in OTHER_WORDS.items():
        assert name in COMMANDS
        for word in words:
            assert word not in COMMANDS
            assert name in commands_meant(word, COMMANDS)


def test_every_example_is_a_call_that_makes_sense(played: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(played.root)
    (played.root / "promises.yaml").write_text("template: dinner\n", encoding="utf-8")
    found = 0
    for path, command in all_commands():
        for line in (command.epilog or "").splitlines():
            if line.startswith("  gm "):
                words = shlex.split(line.partition("|")[0])
                own = len(path.split())
                assert " ".join(words[:own]) == path
                assert command.make_context(path, words[own:]).args == []
                found += 1
    assert found > 20
