"""A language is added by its file alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gm.api.answers.speech import Words, load_words
from gm.ask.prompt.render import Prompts
from gm.base import languages as declared
from gm.base.config import Settings
from gm.base.languages import choose_code, language_of, languages
from gm.files.packaged.shipped import shipped_prompts
from gm.layers.working import prefixes_of
from gm.memory.importance import rate_by_rule
from gm.memory.recall import words as recall
from gm.memory.recall.dates import NUMBER, TIME, date_patterns, find_spans, find_wanted, tells_of
from gm.memory.recall.words import count_languages, detect_language, stem, without_stop_words
from gm.model import callname
from gm.model.calendar import is_known_weekday
from gm.scene.grounding.dates import say_days, until_day
from gm.scene.grounding.hours import Hour, read_hour
from tests.build import agent, world

OURISH = r"""
weekdays: [Unan, Duan, Trian, Petan, Pempan, Hwean, Seian]
marks: "'."
stemmer: spanish
links: [o]
stop_words: la ti mo
titles: ser
story_day: dai
dates:
  months: [gen, fev, marz, apr, mag, giun, lui, ag, set, ott, nov, dez]
  at: en
  of: de
  past: {jer: 1}
  ago: ha (?P<count>\w+) dai
  counts: [un, du, tri]
  last_week: seman pasa
  last: pasa
  times: jer
  units: dai
  numbers: un|du|tri
  asks_time: ^kuan\b
  asks_number: ^kuant\b
lessons: {lesson: leson}
not_read: \bneles\b
days:
  pattern: '(?:(?P<before>til) )?\b(?P<day>mor)\b(?: (?P<part>soir))?(?P<after>)'
  until: til
  ahead: {mor: 1}
  parts: {soir: [" in soir", " soir"]}
  preposition: [al, el]
  number: "dai {}"
hours:
  before: ad
  clocks: ['{by}{hour}{end}']
  end: $
  ends: ni
  numbers: un du tri
  beside: {}
  relations: {ad: 0}
  meals: {diner: 1140}
  parts: {soir: evening}
  first: primo
  anchor: '(?P<rel>ad)\s+la\s+'
"""


@pytest.fixture
def ourish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for code in languages():
        text = (declared.FOLDER / f"{code}.yaml").read_text(encoding="utf-8")
        (tmp_path / f"{code}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "our.yaml").write_text(OURISH, encoding="utf-8")
    caches = (
        *(languages, language_of, declared._load_declared, recall.stop_words, recall._telling_words, recall._stemmer),
        *(date_patterns, callname._titles, callname.call_name_of),
    )
    monkeypatch.setattr(declared, "FOLDER", tmp_path)
    for one in caches:
        one.cache_clear()
    yield "our"
    for one in caches:
        one.cache_clear()


def test_the_settings_take_it(ourish: str) -> None:
    assert languages() == ("de", "en", "our")
    assert Settings(language=ourish).calendar.weekdays == ("Unan", "Duan", "Trian", "Petan", "Pempan")
    assert is_known_weekday("Seian")
    assert prefixes_of(["LESSON:"], ourish) == ("lesson", "leson")


def test_the_words_of_memories_are_read_by_it(ourish: str) -> None:
    assert stem("gatos", ourish) == stem("gato", ourish) != stem("gatos", "en")
    assert without_stop_words("la gatos ti mo", ourish) == ["gatos"]
    assert detect_language(count_languages("la ti mo, gatos"), "de") == ourish
    assert detect_language(count_languages("gatos"), ourish) == ourish


def test_its_days_and_hours_are_read(ourish: str) -> None:
    here = replace(world(agent("vera")), settings=Settings(language=ourish))
    assert say_days(here, "veni mor soir", 1) == "veni al Duan in soir"
    assert say_days(here, "veni til mor", 1) == "veni til Duan"
    assert until_day(here, "resta til Trian", 1) == 3
    assert read_hour("ad tri ni la kasa", ourish) == Hour(15 * 60, is_clock=True)
    assert read_hour("al diner", ourish) == Hour(19 * 60)
    assert language_of(ourish).not_read.search("Neles la letra!")


def test_dates_in_questions_are_read(ourish: str) -> None:
    spans = find_spans("Kuan? Ha du dai, pasa Duan, dai 3, en 5 de gen", 9, language_of(ourish).weekdays)
    assert [(one.first, one.last, one.real) for one in spans] == [
        (3, 3, False),
        (7, 7, False),
        (2, 2, False),
        (105, 105, True),
    ]
    assert (find_wanted("Kuan veni?"), find_wanted("Kuant?"), tells_of("tri jer")) == (TIME, NUMBER, TIME + NUMBER)


def test_its_titles_are_no_names(ourish: str) -> None:
    assert callname.call_name_of("Ser Anton Bela") == "Anton"


def test_its_templates_and_words_are_found(ourish: str, tmp_path: Path) -> None:
    own = tmp_path / "prompts" / ourish
    own.mkdir(parents=True)
    (own / "words.yaml").write_text("why_arrival: Nov dai.\n", encoding="utf-8")
    (own / "importance.j2").write_text("Ponder {{ 1 }}.\n", encoding="utf-8")
    prompts = Prompts(own.parent, shipped_prompts(), ourish)
    assert (prompts.words("why_arrival"), prompts.render("importance.j2")) == ("Nov dai.", "Ponder 1.\n")
    assert choose_code(tmp_path, "our-XX") == ourish
    assert Words(ourish, {}).number(1234.5, 1) == "1'234.5"


def test_what_it_has_no_words_for_is_said_in_english(ourish: str) -> None:
    assert language_of(ourish).signals == language_of("en").signals
    assert rate_by_rule("An urgent decision.", ourish) == 4
    assert load_words(ourish, "gm.faces.web").language == "en"


def test_a_region_does_not_matter_and_an_unknown_language_is_said_in_english_and_not_read() -> None:
    assert language_of("de-AT") == language_of("de_CH") == language_of("de")
    unknown = language_of("xx")
    assert (unknown.code, unknown.weekdays[0], unknown.hours, unknown.stop_words) == ("xx", "Monday", None, frozenset())


@pytest.mark.parametrize("code", ["..", "../en", "", "e n", "/etc", "xx"])
def test_a_language_is_no_path(code: str, tmp_path: Path) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "en.yaml").write_text("", encoding="utf-8")
    assert choose_code(folder, code) == "en"
