"""Values of a type read as their reader writes them, in each language of numbers and each time zone."""

from decimal import Decimal

import pytest

from lib.locales import locale_of
from lib.reader import NOBODY, Reader, reading_as
from lib.typed_values import amount_text, exact, fits, is_link, plain_text, text_of, title_of

EURO = {"x-currency": "EUR"}
READERS = {
    "nobody": NOBODY,
    "american": Reader(zone="America/New_York", locale=locale_of("en-US")),
    "german": Reader(zone="Europe/Berlin", locale=locale_of("de")),
    "indian": Reader(zone="Asia/Kolkata", locale=locale_of("en-GB")),
}
WRITTEN = {
    "money": (
        1234.5,
        EURO,
        ["1234.50 EUR", "1,234.50\u00a0EUR", "1.234,50\u00a0EUR", "1,234.50\u00a0EUR"],
    ),
    "yen": (1250, {"x-currency": "JPY"}, ["1250 JPY", *["1250\u00a0JPY"] * 3]),
    "dinar": (
        2.5,
        {"x-currency": "KWD"},
        ["2.500 KWD", "2.500\u00a0KWD", "2,500\u00a0KWD", "2.500\u00a0KWD"],
    ),
    "finer": (0.125, EURO, ["0.125 EUR", "0.125\u00a0EUR", "0,125\u00a0EUR", "0.125\u00a0EUR"]),
    "bare": (1234.5, EURO | {"x-bare": True}, ["1234.50", "1,234.50", "1.234,50", "1,234.50"]),
    "date": ("2027-01-31", {"format": "date"}, ["2027-01-31", "Jan 31, 2027", "31.01.2027", "31 Jan 2027"]),
    "moment": (
        "2027-01-31T23:30:00Z",
        {"format": "date-time"},
        ["2027-01-31 23:30 UTC", "Jan 31, 2027, 6:30 PM", "01.02.2027, 00:30", "1 Feb 2027, 05:00"],
    ),
    "time": (
        "09:00:00[Europe/Berlin]",
        {"format": "time"},
        ["09:00 Europe/Berlin", "9:00 AM Europe/Berlin", "09:00 Europe/Berlin", "09:00 Europe/Berlin"],
    ),
    "choice": ("t", {"oneOf": [{"const": "t", "title": "Travel"}]}, ["Travel"] * 4),
    "person": ("ann", {"format": "person"}, ["ann"] * 4),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_each_reader_reads_it_in_their_format(kind):
    value, type, texts = WRITTEN[kind]
    for reader, text in zip(READERS.values(), texts, strict=True):
        with reading_as(reader):
            assert text_of(value, type) == text


def test_people_are_called_by_the_name_that_the_page_has_learned():
    with reading_as(Reader(called={("person", "ann"): "Ann Lee"})):
        assert text_of("Ann", {"format": "person"}) == "Ann Lee"


@pytest.mark.parametrize(
    ("value", "type"),
    [
        ("12", EURO),
        (True, EURO),
        (1e300, EURO),
        ("2027-02-30", {"format": "date"}),
        ("2027-01-31T09:00:00", {"format": "date-time"}),
        ("9999-12-31T23:59:59-23:59", {"format": "date-time"}),
        ("25:00:00Z", {"format": "time"}),
        ("x", {"oneOf": [{"const": "t", "title": "Travel"}]}),
        (7, {"format": "person"}),
        ("plain", None),
        ("plain", {"format": "email"}),
    ],
)
def test_what_is_no_such_value_is_left_as_it_is(value, type):
    with reading_as(READERS["german"]):
        assert text_of(value, type) is None


def test_sums_are_exact():
    values = [1234.5, 617.25, 4728.47, 0.1, 0.2]
    assert sum(map(exact, values)) == Decimal("6580.52")
    assert exact("2") is None
    assert exact(float("inf")) is None
    with reading_as(READERS["german"]):
        assert amount_text(exact(6580.2) + exact(0.02), "EUR") == "6.580,22\u00a0EUR"


def test_only_web_pages_are_links():
    assert is_link("https://example.org/a?b=1")
    for address in ("javascript:alert(1)", "data:text/html,x", "https://a b", " https://a", 7, None):
        assert not is_link(address)


def test_a_correction_must_be_of_the_type():
    assert fits(12.5, EURO)
    assert fits(None, EURO)
    assert fits("anything", None)
    assert not fits("12.5", EURO)
    assert not fits("tomorrow", {"format": "date"})
    assert not fits("javascript:x", {"format": "uri"})


ITEM = {"properties": {"price": EURO | {"title": "Net price"}, "paid_at": {"format": "date"}}}


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (None, None, "none"),
        ([], None, "none"),
        ({}, None, "none"),
        (True, None, "yes"),
        (1234.5, None, "1.234,5"),
        ("plain", None, "plain"),
        (["a", "b"], None, "a, b"),
        (["2027-01-31", None], {"items": {"format": "date"}}, "31.01.2027, none"),
        ({"price": 1.5, "paid_at": "2027-01-31"}, ITEM, "Net price: 1,50\u00a0EUR; Paid at: 31.01.2027"),
        ([{"price": 1}, {"price": 2}], {"items": ITEM}, "Net price: 1,00\u00a0EUR\nNet price: 2,00\u00a0EUR"),
        ({"a": {"b": [1, False]}}, None, "A: B: 1, no"),
        ("f-1", {"format": "file"}, "receipt.pdf"),
        ("f-2", {"format": "file"}, "f-2"),
    ],
)
def test_a_value_in_one_text_has_its_parts_by_their_types(value, type, text):
    with reading_as(READERS["german"]):
        assert plain_text(value, type, files={"f-1": "receipt.pdf"}) == text


def test_a_text_of_a_value_is_bounded():
    assert plain_text("abcdef", most=6) == "abcdef"
    assert plain_text("abcdefg", most=6) == "abcde…"
    assert len(plain_text([{"a": "x" * 50}] * 1_000, most=100)) == 100


def test_an_exact_text_says_what_it_is_and_keeps_names():
    type = {"properties": {"paid_by": {"oneOf": [{"const": "t", "title": "Travel"}]}}}
    value = {"paid_by": "t", "day": "x"}
    assert plain_text(value, type, between="\n", is_exact=True) == "paid_by: Travel (t)\nday: x"


def test_a_key_is_called_as_its_type_has_it():
    assert title_of("paid_at") == "Paid at"
    assert title_of("paid_at", {"title": "Day"}) == "Day"
    assert title_of("___") == "___"
