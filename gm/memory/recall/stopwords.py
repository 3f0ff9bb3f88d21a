"""Words that say nothing about what a text is about. They are left out of questions, never out of memories."""

from __future__ import annotations

from collections.abc import Mapping

from gm.model.fold import fold

_GERMAN = """
aber alle allem allen aller alles als also am an ans auch auf aus bei beim bin bis bist da dabei dadurch dafür dagegen
daher damit danach dann daran darauf daraus darin darüber darum das dass dazu dein deine deinem deinen deiner dem den
denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch eigentlich ein eine
einem einen einer eines einmal er erzählt erzählte erzählen es etwa etwas euch euer eure für gegen gehabt gesagt
gewesen geworden hab habe haben habt hast hat hatte hatten hattest hätte her hier hin hinter ich ihm ihn ihnen ihr
ihre ihrem ihren ihrer im immer in ins ist ja je jede jedem jeden jeder jedes jene jener jetzt kann kannst kein keine
keinem keinen keiner können könnte konnte machen man mein meine meinem meinen meiner mich mir mit muss musste müssen
nach nicht nichts noch nun nur ob oder ohne sagen sagt sagte schon sehr sein seine seinem seinen seiner seit selbst
sich sie sind so solche soll sollen sollte sondern sonst über um und uns unser unsere unserem unseren unter viel vom
von vor wann war waren warst warum was wegen weil weiß weißt welche welchem welchen welcher welches wem wen wenn wer
werde werden wessen weshalb wie wieder wieso will wir wird wirst wo woher wohin wollen wollte womit woran worauf
worüber worum wovon wozu würde wurde wurden zu zum zur zwar zwischen
"""
_ENGLISH = """
a about after again all also am an and any are as at be because been before being between both but by can could d did
do does doing done down during each few for from get got had has have he her here hers him his how i if in into is it
its just ll m may me might mine more most must my no nor not now of off on once only or other our out over own re s
same shall she should so some such t than that the their theirs them then there these they this those through to too
up us ve very was we were what when where which while who whom whose why will with would you your yours
"""
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(fold(word) for word in words.split()) for language, words in (("de", _GERMAN), ("en", _ENGLISH))
}
