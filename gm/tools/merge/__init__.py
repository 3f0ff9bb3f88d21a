"""Merge two worlds that grew apart: a three-way merge of a whole world, from the contents of its files."""
