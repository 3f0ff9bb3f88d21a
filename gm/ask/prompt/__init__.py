"""Prompts: templates of the package and of the world, and the values that they show.

``render`` finds and renders templates, in a sandbox with strict variables; ``scenetypes`` reads their front matter.
``context`` assembles what one character is asked in a ``moment``; ``people`` ``memory_lines`` ``scenes`` ``board``
``open_threads`` ``bonds`` ``minds`` ``sharing`` give what it shows, and ``trimming`` makes less of it. ``discovery``
``evening`` ``care`` ``rating`` ``decision`` render the other questions.
"""
