"""``gm completion``: what lets a shell complete commands, options and names."""

from __future__ import annotations

import click

from gm.cli.terminal import out

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_GM_COMPLETE"


@click.command(
    epilog="""\b
bash:  echo 'eval "$(gm completion bash)"' >> ~/.bashrc
zsh:   echo 'eval "$(gm completion zsh)"' >> ~/.zshrc
fish:  gm completion fish > ~/.config/fish/completions/gm.fish"""
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what lets your SHELL complete with the Tab key.

    It completes commands and options, and what the world knows: characters, memories, days, scene types, works in the
    gallery, models, settings. It takes effect in the next shell that you open. bash has to be 4.4 or newer.
    """
    from click.shell_completion import get_completion_class

    from gm.cli import gm

    kind = get_completion_class(shell)
    assert kind is not None
    # the script alone: click would ask the shell for its version, and the shell that reads it may be another one
    completer = kind(gm, {}, "gm", VARIABLE)
    out((completer.source_template % completer.source_vars()).strip(), whole=True)
