"""What pages and books show, as frozen values without markup. Nothing here writes.

``view_…`` functions take a layout and ``hidden``, the parts that ``publish.private`` keeps back.
"""
