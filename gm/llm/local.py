"""Servers on this machine: which of them answer, and which models they say are installed."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from time import monotonic
from urllib.parse import urlsplit

from gm.base.errors import BackendError
from gm.base.texts import one_line
from gm.llm.offers import EMBEDS, MODELS, read_offers
from gm.llm.providers import Provider, providers
from gm.llm.refusals import origin

WAIT_S = 0.5
"""Seconds in which a server has to answer."""
MOST_LIST_BYTES = 1_000_000
MOST_MODELS = 100
LONGEST_NAME = 200
MOST_NAMED = 5
LATEST_TAG = ":latest"
"""What Ollama adds to a name without a tag."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answers.

    Attributes:
        models: Names of the installed models, with the provider, as ``--model`` takes them.
    """

    provider: str
    address: str
    models: tuple[str, ...]


def local_providers(environment: Mapping[str, str]) -> tuple[Provider, ...]:
    """Return the providers that stand on this machine, in their order; the environment may name their addresses.

    Left out is a provider whose variable names no address.
    """
    return tuple(_find_local(environment))


def _find_local(environment: Mapping[str, str]) -> Iterator[Provider]:
    for provider in providers().values():
        with suppress(BackendError):
            here = provider.at(environment)
            if here.is_local:
                yield here


def find_servers(among: Iterable[Provider]) -> tuple[LocalServer, ...]:
    """Ask the providers on this machine at the same time for their models, without a key; return those that answer."""
    asked = [one for one in among if one.is_local]
    found: dict[str, LocalServer] = {}

    def look(provider: Provider) -> None:
        with suppress(BackendError, OSError, ValueError):
            names = _ask_for_models(provider, WAIT_S)
            found[provider.name] = LocalServer(provider.name, origin(provider.base), names)

    threads = [Thread(target=look, args=(one,), daemon=True) for one in asked]
    for thread in threads:
        thread.start()
    deadline = monotonic() + 2 * WAIT_S
    for thread in threads:
        thread.join(max(0.0, deadline - monotonic()))
    return tuple(found[one.name] for one in asked if one.name in found)


def check_installed(provider: Provider, model: str, listed: Sequence[str]) -> None:
    """Check that a server has a model, by what it lists.

    Raises:
        BackendError: It has not.
    """
    if is_listed(model, listed):
        return
    names, model = _presentable(listed), one_line(model)
    near = [f"{provider.name}:{name}" for name in _find_near(model, names)]
    some = [f"{provider.name}:{name}" for name in names[:MOST_NAMED]]
    if not provider.install:
        raise BackendError(
            f"{explain_unlisted(provider, model, listed)}; nothing was asked or written",
            f"write {' or '.join(near or some)}" if names else "load it there, and run the same command again",
        )
    said = f"did you mean {' or '.join(near)}? " if near else f"there are {', '.join(some)}; " if some else ""
    what = f"has no model {model}" if listed else f"has no models yet, so not {model}"
    raise BackendError(
        f"{provider.name} at {origin(provider.base)} {what}; nothing was asked or written",
        f"{said}to install it: {provider.install.format(model=shlex.quote(model))}",
    )


def is_listed(model: str, listed: Iterable[str]) -> bool:
    """Return whether a server's list has a model; "" stands for any."""
    return not model or _plain_name_of(model) in map(_plain_name_of, listed)


def explain_unlisted(provider: Provider, model: str, listed: Sequence[str]) -> str:
    """Return a sentence about what a server has in the place of a model."""
    server = "the server" if provider.is_by_hand else provider.name
    has = ", ".join(_presentable(listed)[:MOST_NAMED])
    return f"{server} at {origin(provider.base)} has {has or 'no model'}, not {one_line(model)}"


def explain_provider(name: str, environment: Mapping[str, str]) -> str:
    """Return how to name a model of a provider of this machine that was named alone; it is asked."""
    provider = providers()[name]
    listed = [one for server in find_servers([provider.at(environment)]) for one in server.models]
    return f"name its model: {' or '.join(listed[:MOST_NAMED]) or f'{name}:NAME'}"


def explain_bare(model: str, environment: Mapping[str, str]) -> tuple[str, bool]:
    """Return how to name a model of this machine, given its name without a provider; its servers are asked.

    Returns:
        A sentence, and whether a model that is installed was found.
    """
    local = local_providers(environment)
    servers = find_servers(local)
    name = model
    for provider in local:
        name = name.removeprefix(f"{provider.name}/")
    having = [
        one
        for server in servers
        for one in server.models
        if _plain_name_of(one.partition(":")[2]) == _plain_name_of(name)
    ]
    if having:
        return f"it is installed here: {having[0]}.", True
    near = [one for server in servers for one in _find_near(name, server.models, server.provider)]
    if near:
        return f"did you mean {' or '.join(near)}?", True
    if servers:
        answering = ", ".join(f"{one.provider} at {one.address}" for one in servers)
        said = f"name the provider: {servers[0].provider}:{name} ({answering} answers, and does not list it)."
        return said, False
    return f"name the provider: {local[0].name}:{name} (no server answers on this machine).", False


def _ask_for_models(provider: Provider, wait_s: float) -> tuple[str, ...]:
    from http.client import HTTPConnection, HTTPException  # asks no proxy, and follows no redirect

    parts = urlsplit(provider.base)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=wait_s)
    try:
        connection.request("GET", f"{parts.path}{MODELS}")
        answer = connection.getresponse()
        data = answer.read(MOST_LIST_BYTES)
    except HTTPException as error:
        raise BackendError(f"{provider.name} speaks no HTTP") from error
    finally:
        connection.close()
    if answer.status != 200:
        raise BackendError(f"{provider.name} does not tell its models")
    return tuple(f"{provider.name}:{name}" for name in _presentable(offer.model for offer in read_offers(data)))


def _presentable(names: Iterable[str]) -> list[str]:
    """Return the names that can be shown, of models that write, without a tag that goes without saying."""
    good = (one for one in names if len(one) <= LONGEST_NAME and EMBEDS not in one.casefold())
    return [one.removesuffix(LATEST_TAG) for one in good][:MOST_MODELS]


def _plain_name_of(name: str) -> str:
    plain = name.casefold().partition("@")[0]  # LM Studio: the variant of a model
    return plain if ":" in plain else f"{plain}{LATEST_TAG}"


def _find_near(model: str, listed: Sequence[str], provider: str = "") -> list[str]:
    from difflib import get_close_matches

    stems = [_stem(one.removeprefix(f"{provider}:")) for one in listed]
    close = get_close_matches(_stem(model), dict.fromkeys(stems), n=MOST_NAMED)
    return [one for stem in close for one, its in zip(listed, stems, strict=True) if its == stem][:MOST_NAMED]


def _stem(name: str) -> str:
    return name[:LONGEST_NAME].casefold().partition(":")[0]
