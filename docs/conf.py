"""The documentation as HTML: ``make docs`` builds it into ``build/docs``, since this folder travels whole in the wheel.

Nothing is asked over the network.
"""

import gm

project = "gm"
version = release = gm.__version__
html_title = f"gm {release}"
html_show_copyright = html_show_sphinx = False

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
nitpicky = True
highlight_language = "text"
myst_heading_anchors = 4
"""Headings have the anchors that GitHub gives them, so that a link works in both places."""
suppress_warnings = [
    "myst.xref_missing",  # links to files beside docs/; tests/docs/test_links.py follows every link
    "toc.not_included",  # pages that no table of contents names are found by the search
    "misc.highlighting_failure",  # what is shown is shortened by …
]

html_theme = "furo"
html_copy_source = False
