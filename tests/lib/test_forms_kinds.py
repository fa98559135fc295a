"""Fields of a form beyond plain ones: money, moments by their reader's clock, choices with titles."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.forms import moments
from lib.forms.schema_forms import SchemaForms
from lib.locales import LOCALES
from lib.reader import Reader, reading_as
from steps.schema import fits
from tests.lib.test_forms_kept import typed_of

FORMS = SchemaForms(fits)
PRICES = {
    "type": "object",
    "properties": {
        "price": {"type": "number", "x-currency": "EUR", "default": 1250},
        "yen": {"type": "number", "format": "money", "x-currency": "JPY"},
        "rate": {"type": "number"},
        "parts": {"type": "array", "items": {"type": "number", "format": "money"}},
    },
}
WHEN = {
    "type": "object",
    "properties": {
        "at": {"type": "string", "format": "date-time"},
        "daily": {"type": "string", "format": "time"},
    },
}
COLOURS = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}, {"const": 3}]
CHOSEN = {
    "type": "object",
    "properties": {
        "colour": {"oneOf": COLOURS},
        "colours": {"type": "array", "items": {"oneOf": COLOURS}},
        "maybe": {"anyOf": [{"oneOf": COLOURS}, {"type": "null"}]},
        "other": {"oneOf": [{"const": 1}, {"type": "string"}]},
    },
}


def fields(form):
    return {one.key: one for one in form.fields}


def test_money_has_its_currency_beside_it_and_as_many_decimals():
    shown = fields(FORMS.form_of(PRICES))
    assert [(one.kind, one.unit, one.text) for one in shown.values()] == [
        ("money", "EUR", "1250.00"),
        ("money", "JPY", ""),
        ("number", "", ""),
        ("rows", "", ""),
    ]
    assert shown["price"].in_words == "1250.00 EUR"
    typed = {"data.price": "1 234,50", "data.yen": "1,000", "data.rate": "0,5", "data.parts[0]": "2,5"}
    assert FORMS.form_of(PRICES, typed).data == {"price": 1234.5, "yen": 1000, "rate": 0.5, "parts": [2.5]}


def test_an_amount_that_cannot_be_read_stays_in_its_field_and_says_how_to_write_it():
    form = FORMS.form_of(PRICES, {"data.price": "1,234", "data.rate": "many"})
    assert form.data == {}
    assert [(one.text, one.error[:20]) for one in form.fields[:3]] == [
        ("1,234", "“1,234” can be read "),
        ("", ""),
        ("many", "Write a number, such"),
    ]
    assert [(one.id, one.label) for one in form.faults()] == [
        ("field-data.price", "Price"),
        ("field-data.rate", "Rate"),
    ]
    kept = FORMS.form_of(PRICES, {"data.price": "1,234"}, lenient=True).data
    assert fields(FORMS.filled(PRICES, kept))["price"].text == "1,234"


@pytest.mark.parametrize("value", [12, 12.5, 0, -3.25, 1.234, 1e20, "x", None, True])
def test_money_that_nobody_touched_is_sent_as_it_was(value):
    form = FORMS.filled(PRICES, {"price": value, "parts": [1.5, 2]})
    sent = FORMS.form_of(PRICES, typed_of(form))
    assert sent.data == ({"price": value, "parts": [1.5, 2]} if value != "x" else {"parts": [1.5, 2]})


def test_a_number_that_reads_as_thousands_to_its_reader_is_not_guessed():
    typed = {"data.rate": "1.234"}
    assert FORMS.form_of(PRICES, typed).data == {"rate": 1.234}
    with reading_as(Reader(locale=LOCALES["de"])):
        form = FORMS.form_of(PRICES, typed)
        (rate,) = (one for one in form.fields if one.error)
        assert (form.data, rate.text, rate.error) == (
            {},
            "1.234",
            "“1.234” can be read in two ways. Write 1234, or 1.2340.",
        )
        assert FORMS.form_of(PRICES, {"data.rate": "1.2340"}).data == {"rate": 1.234}
        # As a draft it stays what was typed, and a value that nobody touched is sent as it was.
        kept = FORMS.form_of(PRICES, typed, lenient=True).data
        assert fields(FORMS.filled(PRICES, kept))["rate"].text == "1.234"
        filled = FORMS.filled(PRICES, {"rate": 1.234})
        assert fields(filled)["rate"].text == "1.2340"
        assert FORMS.form_of(PRICES, typed_of(filled)).data == {"rate": 1.234}


def test_faults_are_named_by_what_they_are_within():
    inner = {"type": "object", "properties": {"n": {"type": "integer"}}}
    schema = {
        "type": "object",
        "properties": {
            "who": inner,
            "lines": {"type": "array", "items": inner},
            "ns": {"type": "array", "items": {"type": "integer"}},
        },
    }
    typed = {"data.who.n": "a", "data.lines[0].n": "1", "data.lines[1].n": "b", "data.ns[0]": "c"}
    labels = [one.label for one in FORMS.form_of(schema, typed).faults()]
    assert labels == ["Who, N", "Lines 2, N", "Ns 1"]


def test_a_moment_is_typed_by_the_clock_of_its_reader_and_kept_in_utc():
    typed = {"data:zone": "Europe/Berlin", "data.at": "2027-07-31T09:00", "data.daily": ""}
    form = FORMS.form_of(WHEN, typed)
    assert form.data == {"at": "2027-07-31T07:00:00Z"}
    assert (form.zone, form.has_moments, form.hidden) == ("Europe/Berlin", True, [])
    assert [one.local for one in form.fields] == ["2027-07-31T09:00", ""]
    with reading_as(Reader("America/New_York")):
        again = FORMS.filled(WHEN, form.data)
    assert (fields(again)["at"].local, again.zone) == ("2027-07-31T03:00", "America/New_York")
    assert FORMS.form_of(WHEN, typed_of(FORMS.filled(WHEN, form.data))).data == form.data


def test_a_form_that_names_no_zone_has_that_of_its_reader():
    with reading_as(Reader("Europe/Berlin")):
        assert FORMS.form_of(WHEN).zone == "Europe/Berlin"
        assert FORMS.form_of(WHEN, {"data.at": "2027-07-31T09:00"}).data == {"at": "2027-07-31T07:00:00Z"}
        other = FORMS.form_of(WHEN, {"data:zone": "America/New_York", "data.at": "2027-07-31T09:00"})
    assert other.data == {"at": "2027-07-31T13:00:00Z"}


def test_without_a_zone_a_moment_is_typed_with_its_own():
    typed = {"data.at": "2027-07-31T09:00:00+02:00", "data.daily": "09:30:00Z"}
    form = FORMS.form_of(WHEN, typed)
    assert (form.data, form.zone) == ({"at": "2027-07-31T09:00:00+02:00", "daily": "09:30:00Z"}, "")
    assert [one.local for one in form.fields] == [None, None]


@pytest.mark.parametrize("name", ["Mars/Olympus", "../../etc/passwd", "Europe", "\x00", "x" * 500])
def test_a_zone_that_there_is_not_is_taken_for_utc(name):
    form = FORMS.form_of(WHEN, {"data:zone": name, "data.at": "2027-07-31T09:00", "data.daily": "10:15"})
    assert form.data == {"at": "2027-07-31T09:00:00Z", "daily": "10:15:00Z"}
    assert form.zone == "UTC"


@pytest.mark.parametrize(
    "text", ["soon", "2027-13-01T09:00", "0001-01-01T00:00", "2027-07-31T09:00:00+02:00"]
)
def test_what_is_no_moment_of_that_clock_stays_as_it_was_typed(text):
    form = FORMS.form_of(WHEN, {"data:zone": "Europe/Berlin", "data.at": text})
    assert fields(form)["at"].text == text
    assert fields(form)["at"].local is None


def test_the_second_half_past_two_of_a_night_in_autumn_stays_with_its_zone():
    berlin = moments.zone_named("Europe/Berlin")
    assert moments.shown("moment", "2027-10-31T00:30:00Z", berlin) == "2027-10-31T02:30"
    assert moments.shown("moment", "2027-10-31T01:30:00Z", berlin) is None
    assert moments.shown("moment", "2027-10-31T12:30:07Z", berlin) == "2027-10-31T13:30:07"


@given(
    st.integers(631_152_000, 4_102_444_800).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
    st.sampled_from(["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]),
)
def test_a_moment_that_is_shown_comes_back_as_it_was(at, name):
    zone, text = moments.zone_named(name), f"{at.isoformat()[:19]}Z"
    local = moments.shown("moment", text, zone)
    assert local is None or moments.kept("moment", local, zone) == text


@given(
    st.times().map(lambda at: at.replace(microsecond=0).isoformat()),
    st.sampled_from(["Asia/Kathmandu", "UTC"]),
)
def test_a_time_of_day_that_is_shown_comes_back_as_it_was(at, name):
    zone = moments.zone_named(name)
    text = moments.kept("time", at, zone)
    local = moments.shown("time", text, zone)
    assert local is not None
    assert moments.kept("time", local, zone) == text


def test_a_time_of_day_is_kept_with_its_zone_and_stays_in_it():
    berlin = moments.zone_named("Europe/Berlin")
    text = moments.kept("time", "09:00", berlin)
    assert text == "09:00:00[Europe/Berlin]"
    assert moments.shown("time", text, berlin) == "09:00"
    for other in (text, "09:00:00Z", "09:00:00+02:00"):
        assert moments.shown("time", other, moments.zone_named("America/New_York")) is None
    schema = {"type": "string", "format": "time"}
    assert all(fits(schema, schema, one) for one in (text, "09:00:00Z", "09:00:00+02:00"))
    for bad in ("09:00[Europe/Berlin]", "25:00:00[Europe/Berlin]", "09:00:00[Mars/Olympus]", "09:00:00"):
        assert not fits(schema, schema, bad)


def test_choices_have_titles():
    form = FORMS.form_of(CHOSEN, {"data.colour": '"g"', "data.colours": "", "data.colours[2]": "true"})
    assert fields(form)["colour"].options == (('"r"', "Red"), ('"g"', "Green"), ("3", "3"))
    assert fields(form)["colour"].in_words == "Green"
    assert [one.label for one in fields(form)["colours"].fields] == ["Red", "Green", "3"]
    assert form.data == {"colour": "g", "colours": [3]}
    assert fields(form)["maybe"].kind == "choice"
    assert fields(form)["other"].kind == "json"
