"""The values of a world: frozen, without behaviour beyond their own form, knowing no file and no model.

``world`` holds all of it, and ``Change``, what a scene makes of it · ``calendar`` ``ids`` story time and names ·
``node`` ``stream`` memories · ``character`` ``state`` who somebody is and how · ``scene`` scenes and their logbook
lines · ``thread`` ``event`` what is opened and closed, one event a line · ``mind`` ``layers`` where the layers of minds
lie, and when they are on (the layers themselves are declared in ``gm.layers``) · ``replies`` what models answer ·
``weighing`` how importance is asked for.
"""
