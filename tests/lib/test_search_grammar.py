"""The grammar of searches: words, fields, quotes, not and or; unknown fields are refused with what may be meant."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.search_grammar import CONDITIONS, Fields, NotUnderstood, Term, parse, quoted

FIELDS = Fields(("status", "by", "key", "workflow"), {"state": "status"}, ("input.",))


def t(name, value, compared=":", *, is_not=False):
    return Term(name, compared, value, is_not)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("siemens status:failed", [(t("", "siemens"),), (t("status", "failed"),)]),
        ("STATE:failed", [(t("status", "failed"),)]),
        ("status:a or status:b x", [(t("status", "a"), t("status", "b")), (t("", "x"),)]),
        ("a OR b or c", [(t("", "a"), t("", "b"), t("", "c"))]),
        ("-by:me", [(t("by", "me", is_not=True),)]),
        ("not by:me NOT -x", [(t("by", "me", is_not=True),), (t("", "x"),)]),
        ("a or not b", [(t("", "a"), t("", "b", is_not=True))]),
        (r'key:"A \"1\" \\"', [(t("key", 'A "1" \\'),)]),
        ('"or" "not" "-5"', [(t("", "or"),), (t("", "not"),), (t("", "-5"),)]),
        ('key:"open end', [(t("key", "open end"),)]),
        ("or x or", [(t("", "or"),), (t("", "x"),), (t("", "or"),)]),
        ("http://a.example 12:30", [(t("", "http://a.example"),), (t("", "12:30"),)]),
        ("status: failed", [(t("", "status:"),), (t("", "failed"),)]),
        ("input.Amount>=1000 input.n:<5", [(t("input.Amount", "1000", ">="),), (t("input.n", "5", "<"),)]),
        ('""', []),
    ],
)
def test_what_a_text_says(text, clauses):
    assert parse(text, FIELDS) == clauses


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("stauts:failed", "Did you mean status:failed?"),
        ('worfklow:"a b"', 'Did you mean workflow:"a b"?'),
        ("amount>5", "Did you mean input.amount>5?"),
        ("x:3", "Fields are status, by, key, workflow."),
        ("a or x:3", "Put “x:3” in quotes to search for the text."),
    ],
)
def test_an_unknown_field_is_refused_with_what_may_be_meant(text, hint):
    with pytest.raises(NotUnderstood) as refusal:
        parse(text, FIELDS)
    assert hint in str(refusal.value)


def test_a_search_has_so_many_conditions_and_no_more():
    assert len(parse("a " * CONDITIONS, FIELDS)) == CONDITIONS
    with pytest.raises(NotUnderstood, match="at most 50 conditions"):
        parse("a " * (CONDITIONS + 1), FIELDS)


@given(st.text(max_size=200))
@example('-"')
@example('key:"\\')
def test_any_text_is_read_or_refused(text):
    try:
        clauses = parse(text, FIELDS)
    except NotUnderstood:
        return
    assert sum(len(term.value) for clause in clauses for term in clause) <= len(text)


@given(st.text(min_size=1, max_size=50))
def test_a_quoted_value_is_read_as_it_was(value):
    assert parse(f"key:{quoted(value)}", FIELDS) == [(t("key", value),)]
