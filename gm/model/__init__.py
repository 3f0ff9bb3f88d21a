"""The values of a world: frozen, without behaviour beyond their own form, knowing no file and no model.

``world`` holds all of it, and ``Change``, what a scene makes of it · ``calendar`` ``ids`` story time and names ·
``record`` the declaration of records, which reads, checks, writes and describes them · ``node`` ``stream`` memories ·
``character`` ``state`` who a character is and how it is now · ``scene`` scenes and their logbook lines · ``thread``
what is opened and closed, one event a line · ``mind`` ``layers`` where the layers of minds lie, and when they are on
(they are declared in ``gm.layers``) · ``replies`` what models answer · ``weighing`` how importance is asked for.
"""
