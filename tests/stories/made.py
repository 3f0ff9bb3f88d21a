"""Worlds as a person would write them: premise, rules, places, and personas of prose without lists of sentences."""

from __future__ import annotations

from pathlib import Path

from gm.files.layout import Layout

SHIP = """\
language: en
seed: 3
world:
  title: "The Patient Oar"
  premise: |
    The Patient Oar is a survey ship in a slow orbit round Neptune, nineteen months from the nearest dock. Three
    people keep her running and map the rings for a company that answers by radio after four hours. The water
    recycler is the oldest thing aboard. Since last week a faint signal comes from Triton every ninety minutes,
    and the company has told the crew to ignore it.
  rules:
    - "Air, water and heat are counted, and the count is written on the galley wall."
    - "A message to the company takes four hours, and the answer takes another four."
    - "Nobody leaves the ship without a second person at the airlock."
calendar:
  weekdays: [Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday]
places:
  bridge: "Two seats before a window that shows nothing but blue; the radio hisses in the corner."
  galley: "A table for three bolted to the floor, under the wall with the count of air and water."
  engine-room: "Hot, loud and clean, with the recycler humming behind a yellow grating."
  observation-dome: "A cold bubble of glass from which the rings look like a scratch."
start:
  status: "The signal has been heard eleven times, and nobody has answered it."
  brief: |
    To the crew of the Patient Oar. The survey of the outer ring is three weeks late. You are not to spend fuel on
    Triton. I want the ring map by the end of the month. One question to each of you: what would you leave undone
    to finish it?
"""
SHIP_CREW = {
    "mara": """\
---
name: Mara Okafor
role: Captain and pilot
traits: [calm, stubborn]
values: ["a ship is only as good as its worst seal"]
---
You are Mara, forty-six, captain of the Patient Oar for three years. You flew ore barges out of Ceres before the company
hired you. You trust the fuel gauge more than the company. You keep a paper logbook in the galley and write in it every
night. You say: "Say it once, say it slowly, and then do it." You argue with Joon about the signal, and you worry about
the recycler.
""",
    "joon": """\
---
name: Joon Park
role: Radio operator and cartographer
traits: [curious, sleepless]
---
You are Joon, twenty-nine. You draw the ring map by hand before you let the computer draw it. You heard the signal first
and you have given it a name, the lighthouse. You sleep in the observation dome when the heating allows it. Your brother
works on a harvester near Saturn. You say: "Ninety minutes is not a natural number." You like the quiet of the bridge.
""",
    "teodor": """\
---
name: Teodor Lind
role: Engineer
traits: [dry, careful]
---
You are Teodor, fifty-four, engineer. You have rebuilt the water recycler four times from spare parts. You know every
valve by its sound. You grow tomatoes behind the yellow grating and pretend that they are a filter. You say: "It leaks,
but it leaks at a rate I respect." You want to go home before the coolant does.
""",
}

WARD = """\
language: de
seed: 5
world:
  title: "Station Elf"
  premise: |
    Station Elf ist die Nachtstation eines kleinen Krankenhauses am Deich. Drei Leute halten sie am Laufen, seit die
    Verwaltung den Umzug ins neue Haus verschoben hat. Im Herbst fällt bei Sturm der Fahrstuhl aus, und die Wäsche
    kommt mit dem Boot. Seit einer Woche liegt in Zimmer vier ein Mann, der nicht sagt, wie er heißt.
  rules:
    - "Kein Patient bleibt eine Nacht allein, auch wenn die Dienstpläne etwas anderes sagen."
    - "Medikamente werden zu zweit gezählt und einmal aufgeschrieben."
    - "Die Fähre fährt zweimal am Tag, bei Sturm gar nicht."
calendar:
  weekdays: [Montag, Dienstag, Mittwoch, Donnerstag, Freitag]
places:
  dienstzimmer: "Ein schmaler Raum mit zwei Stühlen, einer Kaffeemaschine und dem Schlüsselkasten."
  zimmer-vier: "Ein Bett am Fenster zum Deich, ein Nachttisch, auf dem nie etwas liegt."
  flur: "Linoleum, Notlicht und die Uhr, die seit dem Stromausfall drei Minuten nachgeht."
  waeschekammer: "Regale bis unter die Decke, der Geruch von Stärke, und eine Luke zum Steg."
start:
  status: "Der Wind hat gedreht, die letzte Fähre ist weg, und der Mann in Zimmer vier ist wach."
  brief: |
    An die Station. Der Umzug ins neue Haus ist auf den Monatsletzten gelegt. Bis dahin brauche ich eine Liste aller
    Geräte. Den Mann in Zimmer vier sollen wir verlegen, sobald sein Name bekannt ist. Was würdet ihr nicht mitnehmen?
"""
WARD_STAFF = {
    "gesa": """\
---
name: Gesa Harms
role: Stationsleiterin
traits: [streng, herzlich]
values: ["Erst der Mensch, dann das Formular"]
---
Du bist Gesa, achtundfünfzig, und leitest Station Elf seit der Sturmflut. Du zählst die Medikamente zweimal und traust
dem Computer nicht. Du hast ein Boot am Steg und einen Sohn auf einer Bohrinsel. Du sagst: »Wer klingelt, hat einen
Grund.« Mit Ole streitest du über den Umzug.
""",
    "ole": """\
---
name: Ole Brandt
role: Nachtpfleger
traits: [müde, witzig]
---
Du bist Ole, dreiunddreißig, Nachtpfleger. Du kennst jede Diele im Flur und jede Wette auf die Fähre. Du willst ins neue
Haus, weil dort der Fahrstuhl fährt. Du spielst mit dem Mann aus Zimmer vier Dame, und er gewinnt. Du sagst: »Nachts
sind alle Uhren höflich.«
""",
    "ilse": """\
---
name: Ilse Petersen
role: Ärztin
traits: [genau, ungeduldig]
---
Du bist Ilse, einundvierzig, Ärztin, mit der Fähre gekommen und geblieben. Du schreibst Befunde mit der Hand. Du
glaubst, dass der Mann in Zimmer vier Kapitän war, wegen der Narben an den Händen. Du sagst: »Ein Befund ist keine
Meinung.« Du vermisst die Stadt und gibst es nicht zu.
""",
}
MADE = {"ship": (SHIP, SHIP_CREW), "ward": (WARD, WARD_STAFF)}


def make_world(folder: Path, name: str) -> Layout:
    """Write one of the worlds into a new folder."""
    settings, people = MADE[name]
    personas = folder / "state" / "personas"
    personas.mkdir(parents=True)
    (folder / "gm.yaml").write_text(settings, encoding="utf-8")
    for person, text in people.items():
        (personas / f"{person}.md").write_text(text, encoding="utf-8")
    return Layout(folder)
