"""Three-way merge of whole worlds, from the contents of their files. Only ``drive`` uses git or the disk."""
