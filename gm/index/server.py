"""An embedding model behind an address: Ollama, or whatever speaks OpenAI's form (LM Studio, llama.cpp, vLLM, …)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from gm.index.base import EmbeddingError
from gm.index.forms import OPENAI, Form, order_forms, split_url
from gm.index.post import Post, RefusedError

UNKNOWN_FORM = (404, 405, 501)
SHOWN = 200


class ServerEmbedder:
    """Asks a server, in the first form it understands.

    Args:
        url: The server's address; one that ends in ``/v1`` is asked in OpenAI's form first.
        model: Name of the model there.
        provider: ``auto``, ``ollama`` or ``openai``.
        key: Sent as a bearer token in OpenAI's form; empty = none.
        timeout_s: Seconds until a server that says nothing is given up.
        batch: Most texts of one call.
        remembered: Name of the form that this server understood last time.
        sleep: Waits between repeats.

    Attributes:
        form: The form that was understood; empty before the first answer.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        provider: str = "auto",
        key: str = "",
        timeout_s: float = 30.0,
        batch: int = 64,
        remembered: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        base, named = split_url(url)
        self.base, self.model, self.batch, self.where = base, model, batch, base
        self.form = ""
        self._forms = order_forms(provider, named, remembered)
        self._plain = Post(timeout_s, sleep=sleep)
        self._keyed = Post(timeout_s, {"Authorization": f"Bearer {key}"} if key else {}, sleep=sleep)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Turn texts into vectors; what is not a list of vectors is for the caller to refuse."""
        refused: list[tuple[Form, RefusedError]] = []
        for form in self._forms:
            try:
                found = self._ask(form, texts)
            except RefusedError as refusal:
                if _lacks_model(refusal, self.model) or not _is_unknown(refusal):
                    raise self._explained(form, refusal) from None
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

    def _ask(self, form: Form, texts: Sequence[str]) -> list[Any]:
        post = self._keyed if form is OPENAI else self._plain
        if form.many:
            return self._found(form, post, texts)
        return [vector for text in texts for vector in self._found(form, post, (text,))]

    def _found(self, form: Form, post: Post, texts: Sequence[str]) -> list[Any]:
        answer = post.ask(self.base + form.path, form.body(self.model, texts))
        found = form.vectors(answer)
        if found is None:
            raise RefusedError(200, str(answer))
        return found

    def _explained(self, form: Form, refusal: RefusedError) -> EmbeddingError:
        said = " ".join(refusal.text.split())[:SHOWN]
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
            " gm.yaml, or embed in this process: index.provider: local, pip install 'gm[index-local]'"
        )


def _is_unknown(refusal: RefusedError) -> bool:
    return refusal.status in UNKNOWN_FORM or refusal.status == 200


def _lacks_model(refusal: RefusedError, model: str) -> bool:
    """Tell whether a server says that it has no such model, rather than no such address."""
    text = refusal.text.casefold()
    named = "model" in text and ("not found" in text or "not_found" in text or "does not exist" in text)
    return refusal.status in (400, 404) and (named or (bool(model) and model.casefold() in text))
