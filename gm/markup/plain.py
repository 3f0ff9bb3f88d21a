"""The words of a Markdown text without any mark."""

from __future__ import annotations

from gm.markup.parse import parse_tokens, plain


def render_plain(text: str, most: int = 400) -> str:
    """Give the beginning of a text as plain lines: a line for each paragraph, heading, cell or line of code.

    Args:
        text: Markdown of any origin.
        most: Characters of it that are looked at.
    """
    lines: list[str] = []
    for token in parse_tokens(text[:most]):
        if token.type == "inline":
            lines.append(plain(token.children))
        elif token.type in ("fence", "code_block"):
            lines += token.content.splitlines()
    return "\n".join(line for line in lines if line.strip())
