"""Choices over the memories of one character. Pure: no file, no clock, no model.

``retrieve`` the window, ``recall/`` what answers a question, ``lexical`` ``search`` ``terms`` by words · ``reflect``
``due`` when and on what to reflect · ``importance`` by rule · ``care`` ``retain`` ``keeping`` ``tiers`` what leaves
the stream (README) · ``gifted`` ``giving`` ``chunk`` what is known from the start · ``share`` ``private`` what others
get · ``lens`` ``lens_form`` what is bent · ``sections`` what gives way in a prompt.
"""
