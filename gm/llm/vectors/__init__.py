"""The optional embedding index: providers, vectors on disk, search. Derived data."""
