"""The optional embedding index: embedding providers, vectors on disk, search. Derived; nothing else needs it."""
