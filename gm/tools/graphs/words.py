"""What graphs say in words, in German and in English; a world in another language is told in English."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

DE = {
    "and": "und",
    "others": "{n} weitere",
    "others.one": "ein weiteres",
    "day": "Tag {day}",
    "days": "Tage {days}",
    "scene": "Tag {day}, Szene {scene}",
    "who": "Wer",
    "when": "Wann",
    "everybody": "Alle",
    "quoted": "»{text}«",
    "type.ARRIVAL": "Ankunft",
    "type.ENCOUNTER": "Begegnung",
    "type.WORK": "Arbeit",
    "type.MEETING": "Besprechung",
    "type.EVENT": "Ereignis",
    "type.REFLECTION": "Rückschau",
    "nothing": "Noch nichts zu zeigen: Es ist noch kein Tag gespielt.",
    "relationships.title": "Wer was von wem hält",
    "relationships.finding": "Das größte Vertrauen hat {who} zu {whom} ({trust}{tone}).",
    "relationships.most": "Das größte Vertrauen ist {trust}; {n}-mal steht es da, so von {who} zu {whom}.",
    "relationships.least": "Das geringste hat {who} zu {whom} ({trust}{tone}).",
    "relationships.none": "Noch hat niemand gesagt, was er von anderen hält.",
    "relationships.note": "Gesagt ist etwas in {said} von {all} Richtungen. Durchgezogen: Vertrauen, gestrichelt: "
    "Misstrauen, "
    "gepunktet: weder noch; je dicker der Strich, desto stärker. Der Pfeil zeigt auf den, um den es geht.",
    "relationships.met": "Am meisten miteinander zu tun hatten {one} und {other}: {n} gemeinsame Szenen, vor allem "
    "{type}.",
    "relationships.unmet": "Noch sind sich keine zwei in einer Szene begegnet.",
    "relationships.off": "Was die Figuren voneinander halten, hält diese Welt nicht fest (die Schicht der "
    "Beziehungen ist "
    "aus). Gezeigt ist darum nur, wie oft zwei in einer Szene zusammen waren; die Ankunft am Morgen zählt nicht.",
    "relationships.from": "Von",
    "relationships.to": "Zu",
    "relationships.with": "Mit",
    "relationships.trust": "Vertrauen",
    "relationships.tone": "Ton",
    "relationships.type": "Verhältnis",
    "relationships.scenes": "Szenen",
    "relationships.types": "Arten",
    "relationships.view": "Zeigen:",
    "relationships.of": "was {who} von anderen hält",
    "relationships.about": "was andere von {who} halten",
    "relationships.only": "nur {who}",
    "tree.title": "Worauf die Einsichten von {who} ruhen",
    "tree.finding": "Die höchste Schicht liegt {depth} über dem Erlebten: {text} Darunter liegen {n} Erinnerungen.",
    "tree.finding.one": "Die höchste Schicht liegt {depth} über dem Erlebten: {text} Darunter liegt eine Erinnerung.",
    "tree.none": "{who} hat noch keine Rückschau gehalten.",
    "tree.note": "Gezeigt sind {shown} von {all} Einsichten, auf denen noch keine weitere ruht, die neuesten "
    "zuerst; unter "
    "jeder das, worauf sie sich beruft. Was schon weiter oben steht, ist nicht noch einmal entfaltet.",
    "tree.cut": "Mehr als {most} Erinnerungen werden nicht gezeigt.",
    "tree.id": "Erinnerung",
    "tree.depth": "Schicht",
    "tree.text": "Inhalt",
    "tree.rests": "beruft sich auf",
    "tree.importance": "Gewicht",
    "tree.help": "Ein Klick klappt auf und zu. Mit den Pfeiltasten von Knoten zu Knoten, Eingabe öffnet die "
    "Erinnerung.",
    "tree.gone": "steht weiter oben",
    "accumulators.title": "Was sich bis zur nächsten Rückschau ansammelt",
    "accumulators.finding": "Am nächsten an der Schwelle von {threshold} ist {who} mit {value}.",
    "accumulators.over": "Über der Schwelle von {threshold} sind: {who}.",
    "accumulators.own": "{who} steht bei {value}; die Schwelle ist {threshold}.",
    "accumulators.resets": "{n} Rückschauen haben die Summe auf null gesetzt.",
    "accumulators.resets.one": "Eine Rückschau hat die Summe auf null gesetzt.",
    "accumulators.never": "Noch hat keine Rückschau die Summe auf null gesetzt.",
    "accumulators.note": "Jede Linie ist die Summe der Gewichte seit der letzten Rückschau, nach jeder Szene neu "
    "gerechnet; ◆ ist eine Rückschau, gestrichelt die Schwelle.",
    "accumulators.before": "Die Einsichten selbst zählen schon für die nächste Rückschau.",
    "accumulators.latest": "Gezeichnet sind die letzten {shown} von {all} Tagen.",
    "accumulators.differs": "In den Dateien steht etwas anderes: {what}.",
    "accumulators.written": "{who} {written} statt {summed}",
    "accumulators.threshold": "Schwelle",
    "accumulators.sum": "Summe",
    "accumulators.reset": "Rückschau",
    "accumulators.highest": "höchster Stand",
    "accumulators.now": "Stand jetzt",
    "accumulators.count": "Rückschauen",
    "accumulators.stated": "in der Datei",
    "moods.title": "Stimmungen von Tag zu Tag",
    "moods.finding": "Am häufigsten steht da {words}.",
    "moods.times": "»{word}« ({n}-mal)",
    "moods.different": "Keine Stimmung kommt zweimal vor: {n} Einträge, {n} verschiedene Worte.",
    "moods.one": "Ein einziger Eintrag: »{word}«.",
    "moods.now": "Zuletzt: {what}.",
    "moods.none": "Es ist noch keine Stimmung festgehalten.",
    "moods.note": "Stimmungen sind Worte der Figuren selbst, die letzten des Tages: {sources}. Gleiche Worte haben "
    "die gleiche "
    "Farbe. Ein Strich heißt: Für diesen Tag ist nichts aufbewahrt.",
    "moods.diary": "aus dem Tagebuch ({n})",
    "moods.log": "aus dem Logbuch ({n})",
    "moods.traces": "aus den aufbewahrten Antworten ({n})",
    "moods.file": "aus der Datei der Figur ({n})",
    "moods.unknown": "–",
    "moods.before": "Von den Tagen vor Tag {day} ist keine aufbewahrt.",
    "moods.latest": "Gezeigt sind die letzten {shown} von {all} Tagen.",
    "meetings.title": "Wer wen trifft",
    "meetings.finding": "Am häufigsten trafen sich {one} und {other}: in {n} Szenen.",
    "meetings.finding.one": "Am häufigsten trafen sich {one} und {other}: in einer Szene.",
    "meetings.ties": "Am häufigsten trafen sich {pairs}: je {n}-mal.",
    "meetings.many": "{n}-mal, und damit am häufigsten, trafen sich {pairs} Paare, darunter {one} und {other}.",
    "meetings.pair": "{one} und {other}",
    "meetings.never": "Noch nie in einer gemeinsamen Szene: {pairs}.",
    "meetings.more": "{n} weitere Paare",
    "meetings.more.one": "ein weiteres Paar",
    "meetings.all": "Alle haben einander schon getroffen.",
    "meetings.none": "Noch sind sich keine zwei in einer Szene begegnet.",
    "meetings.note": "Gezählt sind Szenen des Logbuchs, in denen beide dabei waren; die Ankunft am Morgen zählt nicht.",
    "meetings.from": "Von",
    "meetings.to": "bis",
    "meetings.scenes": "{n} Szenen",
    "meetings.scenes.one": "eine Szene",
    "tags.title": "Schlagwörter im Lauf der Tage",
    "tags.of": "Schlagwörter von {who} im Lauf der Tage",
    "tags.finding": "Am häufigsten ist »{tag}«: {count} Erinnerungen, die meisten {when} ({most}).",
    "tags.finding.one": "Kein Schlagwort kommt zweimal vor; eines ist »{tag}« {when}.",
    "tags.single": "Am häufigsten ist »{tag}«: {count} Erinnerungen.",
    "tags.single.one": "Kein Schlagwort kommt zweimal vor; eines ist »{tag}«.",
    "tags.next": "Danach: {tags}.",
    "tags.none": "Noch trägt keine Erinnerung ein Schlagwort.",
    "tags.note": "Gezeigt sind die {shown} häufigsten von {all} Schlagwörtern; gezählt sind Erinnerungen.",
    "tags.whose": "Wessen:",
    "tags.tag": "Schlagwort",
    "tags.sum": "gesamt",
    "importance.title": "Wie schwer die Tage wiegen",
    "importance.of": "Wie schwer die Tage für {who} wiegen",
    "importance.finding": "Die schwerste Zeit hatte {who}: {when}, im Mittel {mean} bei {n} Erinnerungen.",
    "importance.finding.one": "Die schwerste Zeit hatte {who}: {when}, mit {mean} bei einer einzigen Erinnerung.",
    "importance.most": "Das höchste Gewicht, {most}, bekam {what}.",
    "importance.times": "eine einzige Erinnerung",
    "importance.often": "{n} Erinnerungen",
    "importance.none": "Noch gibt es keine Erinnerungen.",
    "importance.note": "Gewichte gehen von 1 (alltäglich) bis 10 (ein Wendepunkt) und stammen von den Figuren "
    "selbst. Linie: "
    "Mittel, Punkte: höchstes, Säulen: Zahl der Erinnerungen.",
    "importance.cells": "In jeder Zelle: Mittel · höchstes · Zahl der Erinnerungen.",
    "importance.mean": "Mittel",
    "importance.highest": "höchstes",
    "importance.count": "Erinnerungen",
    "at": "an {when}",
    "at.days": "an den Tagen {when}",
}
EN = {
    "and": "and",
    "others": "{n} more",
    "others.one": "one more",
    "day": "Day {day}",
    "days": "Days {days}",
    "scene": "Day {day}, scene {scene}",
    "who": "Who",
    "when": "When",
    "everybody": "Everybody",
    "quoted": "“{text}”",
    "type.ARRIVAL": "arrival",
    "type.ENCOUNTER": "encounter",
    "type.WORK": "work",
    "type.MEETING": "meeting",
    "type.EVENT": "event",
    "type.REFLECTION": "reflection",
    "nothing": "Nothing to show yet: no day has been played.",
    "relationships.title": "Who thinks what of whom",
    "relationships.finding": "{who} has the greatest trust, in {whom} ({trust}{tone}).",
    "relationships.most": "The greatest trust is {trust}; it is found {n} times, as of {who} in {whom}.",
    "relationships.least": "{who} has the least, in {whom} ({trust}{tone}).",
    "relationships.none": "Nobody has said yet what they think of others.",
    "relationships.note": "Something is said in {said} of {all} directions. Solid: trust, dashed: mistrust, dotted: "
    "neither; "
    "the thicker the line, the stronger. The arrow points at who it is about.",
    "relationships.met": "{one} and {other} had most to do with each other: {n} scenes together, above all {type}.",
    "relationships.unmet": "No two have met in a scene yet.",
    "relationships.off": "This world does not keep what characters think of each other (the relationships layer is "
    "off). So "
    "only how often two were in a scene together is shown; the arrival in the morning does not count.",
    "relationships.from": "From",
    "relationships.to": "To",
    "relationships.with": "With",
    "relationships.trust": "Trust",
    "relationships.tone": "Tone",
    "relationships.type": "Relation",
    "relationships.scenes": "Scenes",
    "relationships.types": "Kinds",
    "relationships.view": "Show:",
    "relationships.of": "what {who} thinks of others",
    "relationships.about": "what others think of {who}",
    "relationships.only": "only {who}",
    "tree.title": "What {who}’s insights rest on",
    "tree.finding": "The highest layer lies {depth} above what was lived: {text} Below it are {n} memories.",
    "tree.finding.one": "The highest layer lies {depth} above what was lived: {text} Below it is one memory.",
    "tree.none": "{who} has not reflected yet.",
    "tree.note": "Shown are {shown} of {all} insights that no other one rests on yet, the newest first; below each, "
    "what it "
    "cites. What stands further up already is not unfolded again.",
    "tree.cut": "No more than {most} memories are shown.",
    "tree.id": "Memory",
    "tree.depth": "Layer",
    "tree.text": "Content",
    "tree.rests": "cites",
    "tree.importance": "Importance",
    "tree.help": "A click folds and unfolds. Arrow keys go from node to node, Enter opens the memory.",
    "tree.gone": "stands further up",
    "accumulators.title": "What gathers until the next reflection",
    "accumulators.finding": "{who} is nearest to the threshold of {threshold}, with {value}.",
    "accumulators.over": "Above the threshold of {threshold}: {who}.",
    "accumulators.own": "{who} is at {value}; the threshold is {threshold}.",
    "accumulators.resets": "{n} reflections have set the sum to zero.",
    "accumulators.resets.one": "One reflection has set the sum to zero.",
    "accumulators.never": "No reflection has set the sum to zero yet.",
    "accumulators.note": "Each line is the sum of importance since the last reflection, summed anew after each "
    "scene; ◆ is a reflection, the dashed line the threshold.",
    "accumulators.before": "The insights themselves count for the next reflection already.",
    "accumulators.latest": "Drawn are the last {shown} of {all} days.",
    "accumulators.differs": "The files say something else: {what}.",
    "accumulators.written": "{who} {written} instead of {summed}",
    "accumulators.threshold": "Threshold",
    "accumulators.sum": "Sum",
    "accumulators.reset": "Reflection",
    "accumulators.highest": "highest",
    "accumulators.now": "now",
    "accumulators.count": "reflections",
    "accumulators.stated": "in the file",
    "moods.title": "Moods from day to day",
    "moods.finding": "Most often it says {words}.",
    "moods.times": "“{word}” ({n} times)",
    "moods.different": "No mood occurs twice: {n} entries, {n} different wordings.",
    "moods.one": "A single entry: “{word}”.",
    "moods.now": "Most recently: {what}.",
    "moods.none": "No mood has been kept yet.",
    "moods.note": "Moods are the characters’ own words, the last of the day: {sources}. The same words have the "
    "same colour. "
    "A dash means that nothing was kept for that day.",
    "moods.diary": "from the diary ({n})",
    "moods.log": "from the logbook ({n})",
    "moods.traces": "from the answers that were kept ({n})",
    "moods.file": "from the character’s file ({n})",
    "moods.unknown": "–",
    "moods.before": "None was kept for the days before day {day}.",
    "moods.latest": "Shown are the last {shown} of {all} days.",
    "meetings.title": "Who meets whom",
    "meetings.finding": "{one} and {other} met most often: in {n} scenes.",
    "meetings.finding.one": "{one} and {other} met most often: in one scene.",
    "meetings.ties": "Those who met most often: {pairs}; {n} times each.",
    "meetings.many": "{pairs} pairs met {n} times, more often than all others, {one} and {other} among them.",
    "meetings.pair": "{one} and {other}",
    "meetings.never": "Never in a scene together: {pairs}.",
    "meetings.more": "{n} more pairs",
    "meetings.more.one": "one more pair",
    "meetings.all": "Everybody has met everybody.",
    "meetings.none": "No two have met in a scene yet.",
    "meetings.note": "Counted are scenes of the logbook in which both took part; the arrival in the morning does "
    "not count.",
    "meetings.from": "From",
    "meetings.to": "to",
    "meetings.scenes": "{n} scenes",
    "meetings.scenes.one": "one scene",
    "tags.title": "Tags over the days",
    "tags.of": "{who}’s tags over the days",
    "tags.finding": "“{tag}” is the most frequent: {count} memories, most of them {when} ({most}).",
    "tags.finding.one": "No tag occurs twice; one is “{tag}” {when}.",
    "tags.single": "“{tag}” is the most frequent: {count} memories.",
    "tags.single.one": "No tag occurs twice; one is “{tag}”.",
    "tags.next": "Then: {tags}.",
    "tags.none": "No memory has a tag yet.",
    "tags.note": "Shown are the {shown} most frequent of {all} tags; memories are counted.",
    "tags.whose": "Whose:",
    "tags.tag": "Tag",
    "tags.sum": "in all",
    "importance.title": "How much the days weigh",
    "importance.of": "How much the days weigh for {who}",
    "importance.finding": "{who} had the weightiest time: {when}, {mean} on average with {n} memories.",
    "importance.finding.one": "{who} had the weightiest time: {when}, {mean} with a single memory.",
    "importance.most": "The highest importance, {most}, was given to {what}.",
    "importance.times": "a single memory",
    "importance.often": "{n} memories",
    "importance.none": "There are no memories yet.",
    "importance.note": "Importance goes from 1 (routine) to 10 (pivotal) and comes from the characters themselves. "
    "Line: mean, "
    "points: highest, columns: number of memories.",
    "importance.cells": "In each cell: mean · highest · number of memories.",
    "importance.mean": "mean",
    "importance.highest": "highest",
    "importance.count": "memories",
    "at": "on {when}",
    "at.days": "on days {when}",
}
SPOKEN = {"de": DE, "en": EN}


@dataclass(frozen=True, slots=True)
class Say:
    """Says something in the language of a world.

    Attributes:
        language: As in ``gm.yaml``; ``de-AT`` is German.
    """

    language: str

    def __call__(self, key: str, **values: object) -> str:
        """Say a sentence; of those that end in ``.one``, the one for a number ``n`` of 1.

        Raises:
            KeyError: There is no such sentence, or a value is missing.
        """
        spoken = SPOKEN["de" if self._is_german else "en"]
        if values.get("n") == 1:
            key = f"{key}.one" if f"{key}.one" in spoken else key
        return spoken[key].format_map(values)

    def type(self, name: str) -> str:
        """Say which type a scene has; of one that a world made up itself, its name."""
        return self(f"type.{name}") if f"type.{name}" in DE else name

    def number(self, value: float, digits: int = 0) -> str:
        """Write a number: ``1.234,5`` in German, ``1,234.5`` in English, with a true minus."""
        text = f"{value:,.{digits}f}".replace("-", "−")
        return text.translate(str.maketrans(",.", ".,")) if self._is_german else text

    def listed(self, items: Iterable[str], at_most: int = 8) -> str:
        """List things: ``A, B und C``; of more than fit, how many others there are."""
        found = list(items)
        if len(found) > at_most:
            found = [*found[: at_most - 1], self("others", n=len(found) - at_most + 1)]
        *most, last = found
        return f"{', '.join(most)} {self('and')} {last}" if most else last

    @property
    def _is_german(self) -> bool:
        return self.language.partition("-")[0].lower() == "de"
