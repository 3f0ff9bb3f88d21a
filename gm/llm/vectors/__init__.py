"""The optional embedding index: embedding providers, vectors on disk, search. Derived; nothing else needs it.

Knows texts, vectors and one folder, and no world: ``gm.api.index`` brings the two together. ``README.md`` says
more.
"""
