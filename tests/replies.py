"""What the packaged prompts say of the keys of replies, and all forms of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from gm import model
from gm.ask.prompt.render import Prompts
from gm.files.packaged.shipped import shipped_prompts
from gm.model.reply_form import Form
from gm.model.reply_texts import ReplyTexts


def texts_in(language: str) -> ReplyTexts:
    return Prompts(Path("no-prompts-here"), shipped_prompts(), language).reply_texts


TEXTS = texts_in("en")


def all_forms() -> dict[str, type[Form]]:
    """Return the forms of replies and of their parts, by name."""
    modules = [import_module(f"{model.__name__}.{one.name}") for one in iter_modules(model.__path__)]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return {one.__name__: one for one in found if issubclass(one, Form) and one is not Form}
