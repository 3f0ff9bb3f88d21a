"""The optional embedding index: embedding providers, vectors on disk, search. Derived data.

Knows texts, vectors and one folder, but no world: ``gm.api.index`` joins them.
"""
