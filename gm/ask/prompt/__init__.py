"""Prompts: templates of the package and of the world, and the values that they show.

``render`` finds and renders templates in a sandbox, ``scenetypes`` reads their front matter, ``context`` assembles the
question to a character, ``decision``, ``discovery`` and ``off_scene`` the other questions; the rest makes values.
"""
