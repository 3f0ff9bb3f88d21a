"""The JSON schema of a reply, with the keys that a world asks for, and what its prompts say about them."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from pydantic import BaseModel, create_model

from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.model import solo_replies
from gm.model.importance_source import REPLY, Schema, weighed_schema
from gm.model.mind import hidden_keys, inner_forms, layer_keys
from gm.model.reply_form import Facets
from gm.model.reply_texts import FORM, VALUES, ReplyTexts
from gm.model.scene import Scene
from gm.model.scene_reply import NewMemory, PlanningReply, SceneReply

NO_LAYERS: frozenset[str] = frozenset()
PLAN_KEYS = frozenset({"plan", "plan_status"})
"""Keys of replies that belong to plans (``plans.enabled``)."""


def form_of(scene: Scene, *, plans: bool = True) -> type[SceneReply] | type[solo_replies.ReflectionReply]:
    """Return the reply form of a scene; ``plans``: characters plan."""
    if scene.type.is_reflection:
        return solo_replies.ReflectionReply
    return _with_layers(PlanningReply if scene.type.plan and plans else SceneReply, tuple(LAYERS))


def sent_form_of(scene: Scene) -> type[SceneReply] | type[solo_replies.ReflectionReply]:
    """Return the form for the schema that is sent with the questions of a scene.

    It is one for all scene replies, since another schema invalidates a provider's cache; ``form_of`` checks for a plan.
    """
    return solo_replies.ReflectionReply if scene.type.is_reflection else _with_layers(SceneReply, tuple(LAYERS))


def character_forms() -> dict[str, type[BaseModel]]:
    """Return the forms of what characters reply, by their names."""
    scenes = [_with_layers(form, tuple(LAYERS)) for form in (SceneReply, PlanningReply)]
    others: tuple[type[BaseModel], ...] = (
        solo_replies.ReflectionReply,
        solo_replies.QuestionsReply,
        solo_replies.AnsweringReply,
        solo_replies.DiaryReply,
        solo_replies.AskReply,
        solo_replies.InterviewReply,
        solo_replies.LookReply,
    )
    return {form.__name__: form for form in (*scenes, *others)}


@cache
def _with_layers(form: type[SceneReply], layers: tuple[AnyLayer, ...]) -> type[SceneReply]:
    asked: dict[str, Any] = {
        layer.reply.key: layer.reply.asked for layer in layers if layer.reply and layer.reply.asked
    }
    return create_model(form.__name__, __base__=form, **asked) if asked else form


@lru_cache(maxsize=256)
def schema_of(
    form: type[BaseModel],
    texts: ReplyTexts,
    layers: frozenset[str] = NO_LAYERS,
    importance_from: str = REPLY,
    *,
    plans: bool = True,
    reflects: bool = True,
) -> Schema:
    """Return the JSON schema of a reply, with the keys of these layers, and importance as the world wants it.

    These keys are required: providers limit the number of optional ones. A key of which ``texts`` say nothing keeps its
    own description: a layer may bring one.
    """
    schema = form.model_json_schema()
    unplanned = not plans and _without_plans(schema)
    if not reflects:
        _without_kind(schema, "reflection")
    if _keep_layers(schema, form, layers) or unplanned:
        schema["$defs"] = _used_definitions(schema)
    for name, inner in inner_forms(form).items():
        if name in schema.get("$defs", {}):
            _keep_layers(schema["$defs"][name], inner, layers)
    schema = weighed_schema(schema, importance_from)
    _describe(schema, form, texts)
    parts: dict[str, type[BaseModel]] = {**inner_forms(form), Facets.__name__: Facets}
    for name in parts.keys() & schema.get("$defs", {}).keys():
        _describe(schema["$defs"][name], parts[name], texts)
    return schema


def _describe(schema: Schema, form: type[BaseModel], texts: ReplyTexts) -> None:
    if said := texts.tell(form, FORM):
        schema["description"] = said
    shared = texts.by_form.get(VALUES, {})
    for key, part in schema["properties"].items():
        for inner in (part, part.get("items", {}), *part.get("anyOf", ())):
            if (name := inner.get("description")) in shared:
                inner["description"] = shared[name]
        if said := texts.tell(form, key, part.get("enum")):
            schema["properties"][key] = dict(sorted({**part, "description": said}.items()))


def _keep_layers(schema: Schema, form: type[BaseModel], layers: frozenset[str]) -> bool:
    """Return whether any keys were removed."""
    hidden = hidden_keys(form, layers)
    for name in hidden:
        del schema["properties"][name]
    asked = [name for name in layer_keys(form) if name not in hidden]
    if asked:
        schema["required"] = [*dict.fromkeys((*schema.get("required", ()), *asked))]
    return bool(hidden)


def _without_plans(schema: Schema) -> bool:
    """Return whether any keys were removed."""
    hidden = PLAN_KEYS & schema["properties"].keys()
    for name in hidden:
        del schema["properties"][name]
    schema["required"] = [name for name in schema["required"] if name not in hidden]
    _without_kind(schema, "plan")
    return bool(hidden)


def _without_kind(schema: Schema, kind: str) -> None:
    if memory := schema.get("$defs", {}).get(NewMemory.__name__):
        memory["properties"]["type"]["enum"].remove(kind)


def _used_definitions(schema: Schema) -> Schema:
    known = schema.get("$defs", {})
    used: set[str] = set()
    waiting = _references({key: value for key, value in schema.items() if key != "$defs"})
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting |= _references(known[name])
    return {name: value for name, value in known.items() if name in used}


def _references(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {str(value["$ref"]).rpartition("/")[2]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_references, value.values()))
    return set().union(*map(_references, value)) if isinstance(value, list) else set()
