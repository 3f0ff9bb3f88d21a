"""placeholder"""
from gm.errors import GmError, Problem
from gm.prompt.render import Prompts
from gm.store.layout import Layout
from gm.store.load import load_settings
from gm.store.shipped import shipped_prompts


def check_prompts(layout: Layout) -> tuple[tuple[str, ...], list[Problem]]:
    """Load the templates; one that cannot be parsed is an error."""
    try:
        prompts = Prompts(layout.prompts, shipped_prompts(), load_settings(layout)[0].language)
        types = tuple(prompts.scene_types())
        prompts.parse_all()
    except GmError as error:
        shown = layout.shown(layout.prompts)
        return (), [Problem(shown, 0, 0, "error", "prompt", error.message, error.hint)]
    return types, []
