"""Texts are cut where they can be read on, and quoted so that a message stays one line."""

from __future__ import annotations

from datetime import date

import pytest

from gm.base.texts import (
    counted,
    cut_at_sentence,
    end_sentence,
    first_sentences,
    head_of,
    last_sentences,
    quoted,
    sentences_in,
    shorten_at_sentence,
    shorten_at_word,
    unquoted,
)


def test_a_value_with_keys_that_json_does_not_have_is_quoted_too() -> None:
    assert quoted({date(2024, 1, 1): "x"}) == "{datetime.date(2024, 1, 1): 'x'}"
    assert quoted({"a": date(2024, 1, 1)}) == '{"a": "2024-01-01"}'


@pytest.mark.parametrize(
    ("number", "one", "said"),
    [
        (0, "scene", "0 scenes"),
        (1, "memory", "1 memory"),
        (2, "memory", "2 memories"),
        (3, "earlier day", "3 earlier days"),
        (1234, "line", "1,234 lines"),
    ],
)
def test_one_of_something_is_in_the_singular(number: int, one: str, said: str) -> None:
    assert counted(number, one) == said
    assert counted(2, "piece of work", "pieces of work") == "2 pieces of work"


def test_quotes_around_a_text_are_left_out() -> None:
    assert unquoted("»`vera-001`« ") == "vera-001"


def test_a_text_is_cut_before_a_word_and_no_mark_stays_before_the_ellipsis() -> None:
    assert shorten_at_word("Er kam,\n sie ging.", 30) == "Er kam, sie ging."
    assert shorten_at_word("Er kam, sie ging.", 10) == "Er kam …"


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("Gut. Komm\nmorgen.", 20, "Gut. Komm morgen."),
        ("Gut. Komm morgen.", 8, "Gut."),
        ("Das ist länger als acht. Ja.", 14, "Das ist länger als acht."),
        ("kein Ende, nirgends", 12, "kein Ende, nirgends"),
        ("»Halt!« Sie ging weiter.", 12, "»Halt!«"),
        ("Um 3.50 Uhr war noch niemand da.", 12, "Um 3.50 Uhr …"),
        ("Wort " * 9, 12, "Wort Wort …"),
    ],
)
def test_of_a_speech_the_first_sentences_are_whole(text: str, most: int, kept: str) -> None:
    assert first_sentences(text, most) == kept


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("Gut. Komm.", 10, "Gut. Komm."),
        ("Gut.\n\nKomm. Nein.", 12, "Gut.\n\nKomm."),
        ("Gut. Dann … ja, morgen.", 14, "Gut."),
        ("Gut. Wir sehen uns am 3. Mai.", 25, "Gut."),
        ("Gut. Das Blatt z. B. fehlt.", 22, "Gut."),
        ("*Er nickt.* Gut. *Er geht. Sie bleibt.*", 27, "*Er nickt.* Gut."),
        ("**Nein.** Gut. Komm mit.", 15, "**Nein.** Gut."),
        ("(Er geht.) Gut. Komm mit.", 12, "(Er geht.)"),
        ("Rot · Ja, vielleicht · Leer", 22, "Rot · Ja, vielleicht"),
        ("Gut.\n| Ja. | Nein. |", 10, "Gut."),
        ("Ein einziger langer Satz.", 10, ""),
    ],
)
def test_a_text_is_cut_where_a_sentence_ends_and_no_action_is_divided(text: str, most: int, kept: str) -> None:
    assert cut_at_sentence(text, most) == kept


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("Gut. Komm.", 10, "Gut. Komm."),
        ("Gut. Komm\nmit. Ja?", 13, "Komm mit. Ja?"),
        ("Gut. *Er nickt. Er geht.*", 12, ""),
        ("Gut. Ein einziger langer Satz.", 10, ""),
        ("", 10, ""),
    ],
)
def test_the_end_of_a_text_begins_with_a_sentence(text: str, most: int, kept: str) -> None:
    assert last_sentences(text, most) == kept


def test_a_text_has_sentences_and_an_excerpt_says_what_it_left_out() -> None:
    assert sentences_in("Gut.  »Komm!«\nAlso") == ["Gut.", "»Komm!«", "Also"]
    assert shorten_at_sentence("Gut. \nKomm.", 20) == "Gut. Komm."
    assert shorten_at_sentence("Gut. Komm mit.", 8) == "Gut. […]"
    assert shorten_at_sentence("Komm bitte mit.", 8) == "Komm …"


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("Ein Bügeleisen aus Gips, faustgroß", "Ein Bügeleisen aus Gips, faustgroß"),
        ("Drei Proben: je zwei\nMinuten", "Drei Proben"),
        ("Das Haus. Oben das Dach.", "Das Haus"),
        ("Was in Blatt Nr. 2 z. B. fehlt; und wer es sagt", "Was in Blatt Nr. 2 z. B. fehlt"),
        ("Eine Regel (wie gesagt; mit Preis), klein; bis heute", "Eine Regel (wie gesagt; mit Preis), klein"),
    ],
)
def test_the_head_of_a_text_ends_where_it_explains_itself(text: str, head: str) -> None:
    assert head_of(text) == head


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("", ""),
        ("He lent me his saw", "He lent me his saw."),
        ("Is it late?", "Is it late?"),
        ("Planned for today: “Talk to Jordan”", "Planned for today: “Talk to Jordan”."),
        ("Geschrieben: »Wo seid ihr?«", "Geschrieben: »Wo seid ihr?«"),
        ("It begins: “My dears …”", "It begins: “My dears …”"),
    ],
)
def test_a_sentence_gets_the_full_stop_that_it_lacks(text: str, ended: str) -> None:
    assert end_sentence(text) == ended
