"""Fields for people: what is typed means one of them, or is refused with the ones that it may mean."""

import pytest

from lib.forms.people import offer_people, people_in
from lib.forms.schema_forms import SchemaForms
from lib.reader import Reader, reading_as
from steps.schema import fits

FORMS = SchemaForms(fits)
PERSON = {"type": "string", "format": "person"}
TEAM = {
    "type": "object",
    "required": ["boss"],
    "properties": {
        "boss": PERSON,
        "deputies": {"type": "array", "items": PERSON},
        "roles": {"type": "array", "items": {"type": "object", "properties": {"who": PERSON}}},
    },
}


class Known:
    """Ann, and two people of the same name."""

    people = {"ann": "Ann Lee", "ben": "Ben Ray", "ben2": "Ben Ray"}

    def offered(self):
        return [self.text_of(username) for username in self.people]

    def meant_by(self, text):
        pairs = self.people.items()
        key = text.lower()
        texts = [name for name, _ in pairs if key in (name, self.text_of(name).lower())]
        return texts or [name for name, full in pairs if full.lower() == key]

    def text_of(self, username):
        return f"{self.people[username]} ({username})" if username in self.people else username


def typed(**entries):
    texts = {f"data.{name}": text for name, text in entries.items()}
    return FORMS.form_of(TEAM, texts, people=Known())


@pytest.mark.parametrize("text", ["ann", "ANN", "Ann Lee", "ann lee", "  Ann Lee (ann) "])
def test_a_username_a_full_name_and_what_is_offered_mean_the_same(text):
    form = typed(boss=text)
    assert (form.data, form.faults()) == ({"boss": "ann"}, [])


def test_a_name_of_two_is_refused_with_both_and_each_username_is_taken():
    (fault,) = typed(boss="ben ray").faults()
    assert (fault.id, fault.message) == (
        "field-data.boss",
        "Several members are called “ben ray”: enter one of ben, ben2.",
    )
    assert typed(boss="Ben Ray (ben2)").data == {"boss": "ben2"}


def test_nobody_is_refused_at_the_field_and_stays_there_as_it_was_typed():
    form = typed(boss="Zoe")
    assert [(one.text, one.error) for one in form.fields[:1]] == [
        ("Zoe", "“Zoe” is not a member. Enter the name or username of one.")
    ]
    kept = FORMS.form_of(TEAM, {"data.boss": "Zoe"}, lenient=True, people=Known())
    assert kept.data == {"boss": "Zoe"}


def test_people_stand_in_rows_and_in_the_objects_of_rows():
    form = typed(**{"boss": "ann", "deputies[0]": "Ann Lee", "deputies[1]": "ben2", "roles[0].who": "ben"})
    assert form.data == {"boss": "ann", "deputies": ["ann", "ben2"], "roles": [{"who": "ben"}]}
    assert people_in(FORMS.filled(TEAM, form.data).each()) == [
        ("data.boss", "ann"),
        ("data.deputies[0]", "ann"),
        ("data.deputies[1]", "ben2"),
        ("data.roles[0].who", "ben"),
    ]


def test_the_fields_show_names_and_only_the_first_carries_the_suggestions():
    form = FORMS.filled(TEAM, {"boss": "ann", "deputies": ["gone"]})
    offer_people(form.each(), Known())
    fields = [one for one in form.each() if one.kind == "person"]
    assert [(one.local, len(one.options)) for one in fields] == [("Ann Lee (ann)", 3), ("gone", 0)]
    with reading_as(Reader(called={("person", "ann"): "Ann Lee"})):
        assert fields[0].in_words == "Ann Lee"


def test_a_time_of_another_zone_is_shown_with_it_and_comes_back_as_it_was():
    schema = {"type": "object", "properties": {"at": {"type": "string", "format": "time"}}}
    with reading_as(Reader(zone="America/New_York")):
        (field,) = FORMS.filled(schema, {"at": "09:00:00[Europe/Berlin]"}).fields
        assert (field.local, field.entry, field.in_words) == (None, *["09:00 Europe/Berlin"] * 2)
        assert FORMS.form_of(schema, {"data.at": field.entry}).data == {"at": "09:00:00[Europe/Berlin]"}
        assert FORMS.form_of(schema, {"data.at": "09:00 Nowhere/At"}).data == {"at": "09:00 Nowhere/At"}
