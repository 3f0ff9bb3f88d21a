"""The optional embedding index: embedding providers, vectors on disk, search. Derived data."""
