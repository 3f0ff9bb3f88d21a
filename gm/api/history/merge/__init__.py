"""Merge two worlds that grew apart: a three-way merge of a whole world, from the contents of its files.

``plan`` finds what theirs is called in the merged world, ``carried`` what an earlier merge has renamed already;
``world`` merges file by file, by ``lines`` or by ``documents``; ``drive`` is what git calls. Only ``drive`` knows git
or the disk.
"""
