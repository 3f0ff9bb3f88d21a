"""Rules for the files of a world: small functions in lists, each giving problems with their exact place.

Errors are what cannot be read unambiguously, warnings what is off the schema, infos legitimate variety (DESIGN 1).
A line that has an error in itself is left out by every reader (``gm.files.reading``); a line whose references are wrong
(``evidence``) is read. What occurs often and is legitimate is named once a file, with how often.

``files`` holds what the rules look at, ``streams`` fills it · ``whole`` applies all rules · ``fix`` corrects what is
safe to correct · every other module holds the rules for one kind of file or value.
"""
