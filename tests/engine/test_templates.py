"""JSON with `{{ CEL }}` holes (docs/definitions.md, "Expressions")."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import ExpressionError, ExpressionInvalid
from engine.holes import has_holes, split_holes
from engine.templates import compile_template

SCOPE = {
    "input": {"order": "A-17", "amount": 12, "price": 2.5, "vip": True, "note": None, "items": [1, {"ä": 2}]},
    "steps": {"credit-score": {"output": {"score": 700}}},
}
QUICK = settings(max_examples=60, deadline=None, derandomize=True, database=None)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text("aß{} \"'", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab{", max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


def render(value, scope=SCOPE):
    return compile_template(value).render(scope)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ input.amount }}", 12),
        ("{{input.vip}}", True),
        ("{{ input.note }}", None),
        ("{{ input.items }}", [1, {"ä": 2}]),
        ("{{ input.price * 2 }}", 5.0),
        ("Order {{ input.order }}: {{ input.amount }} Stück", "Order A-17: 12 Stück"),
        ("{{ input.vip }}/{{ input.note }}/{{ input.price }}/{{ input.price * 2 }}", "true//2.5/5"),
        ("{{ input.items }}!", '[1,{"ä":2}]!'),
        (" {{ input.amount }}", " 12"),
        ('{{ "{{" }} and {{ "}}" }}', "{{ and }}"),
        ('{{ "{{" }}', "{{"),
        ('{{ {"a": {"b": 1}}}}', {"a": {"b": 1}}),
        ('{{ {"a": {"b": 1}} }}', {"a": {"b": 1}}),
        ("{{ 'it\\'s }} here' }}", "it's }} here"),
        ('{{ """a "quoted" }} text""" }}', 'a "quoted" }} text'),
        ('{{ r"a\\d}}" }}', "a\\d}}"),
        ("{{ input.amount // it's a comment\n }}", 12),
        ("{{ input.amount // }} and {{ input.amount }}", "12 and 12"),
        ('{{ r"""a "quoted" }} \\d""" }}', 'a "quoted" }} \\d'),
        ("{{ '''a 'quoted' }} text''' }}", "a 'quoted' }} text"),
        ("{{ input.amount // {{ braces\n + 1 }}", 13),
        ("a } b }} c { d", "a } b }} c { d"),
        ('{{ steps["credit-score"].output.score }}', 700),
        ("Preis: {{ input.price }} €", "Preis: 2.5 €"),
    ],
)
def test_a_string_renders(template, expected):
    value = render(template)
    assert value == expected
    assert type(value) is type(expected)


def test_of_a_template_is_computed_only_what_stands_under_names_or_may_have_them():
    template = compile_template(
        {
            "key": "k {{ input.order }}",
            "note": "n {{ input.order }}",
            "whole": "{{ input.items }}",
            "list": [{"key": 1, "other": "o {{ input.order }}"}, "p {{ input.order }}"],
            "kept": {"key": 2},
        }
    )
    part = template.where(lambda name: name == "key")
    assert part.render(SCOPE) == {
        "key": "k A-17",
        "whole": [1, {"ä": 2}],
        "list": [{"key": 1}],
        "kept": {"key": 2},
    }
    nothing = compile_template({"note": "n {{ input.order }}", "n": ["{{ 1 }}."]}).where(lambda name: False)
    assert nothing.is_static
    assert nothing.render({}) == {}


def test_holes_are_found_at_any_depth_and_keys_are_left_alone():
    template = {"{{ key }}": [{"deep": ["{{ input.order }}", "plain"]}], "n": 1}
    assert render(template) == {"{{ key }}": [{"deep": ["A-17", "plain"]}], "n": 1}


def test_a_value_without_holes_is_static_and_comes_back_as_it_is():
    value = {"a": [1, {"b": "text } }}"}]}
    template = compile_template(value)
    assert template.is_static
    assert template.render({}) is value


def test_references_of_all_holes_are_put_together():
    refs = compile_template({"a": "{{ steps.x.output }} {{ steps.y.output }}", "b": ["{{ run.now }}"]}).refs
    assert refs.steps == {"x", "y"}
    assert refs.names == {"steps", "run"}


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ input.amount", "not closed"),
        ("{{ 'a }}", "column 1"),
        ("{{ }}", "empty"),
        ("{{ input.( }}", "column"),
        ({"a": [0, "{{ nope }}"]}, "a[1]: there is no name `nope`"),
        ({"a b": "{{ nope }}"}, '["a b"]: there is no name'),
    ],
)
def test_a_hole_that_does_not_compile_is_named(template, says):
    with pytest.raises(ExpressionInvalid) as caught:
        compile_template(template)
    assert says in str(caught.value)


def test_a_hole_that_fails_names_its_place():
    with pytest.raises(
        ExpressionError, match=r"in json\.order: `input.missing` failed: input.missing is missing"
    ):
        render({"json": {"order": "{{ input.missing }}"}})


def test_a_text_that_grows_too_long_is_an_error():
    scope = {"input": {"x": "y" * 60_000}}
    with pytest.raises(ExpressionError, match="longer than"):
        render("{{ input.x }}" * 5, scope)


def test_nesting_is_bounded():
    value = "{{ 1 }}"
    for _ in range(100):
        value = [value]
    with pytest.raises(ExpressionInvalid, match="nested"):
        compile_template(value)


@QUICK
@given(json_values)
def test_a_value_without_opening_braces_renders_to_itself(value):
    if not has_holes(value):
        assert render(value, {}) == value


@QUICK
@given(st.text("ab{}'\"/\\\n ", max_size=30))
def test_any_string_compiles_or_says_why_not(text):
    try:
        is_static = compile_template(text).is_static
    except ExpressionInvalid:
        is_static = False
    assert is_static == ("{{" not in text)


@QUICK
@given(
    st.lists(
        st.tuples(st.text("aé }", max_size=5), st.sampled_from(['"}}"', '{"a": {"b": 1}}', "1"])), max_size=4
    )
)
def test_splitting_finds_every_hole_whatever_is_in_it(pieces):
    text = "".join(f"{plain}{{{{ {source} }}}}" for plain, source in pieces)
    assert [source for hole, source in split_holes(text) if hole] == [source for _, source in pieces]


@QUICK
@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20))
def test_any_text_passes_through_a_hole_unchanged(text):
    assert render("{{ input.x }}", {"input": {"x": text}}) == text
    assert render("<{{ input.x }}>", {"input": {"x": text}}) == f"<{text}>"


def test_a_value_that_is_named_again_and_again_is_an_error_before_it_is_written_out():
    scope = {"input": {"text": "x" * 1024 * 1024, "list": ["y" * 1024] * 1024}}

    assert len(render(["{{ input.text }}"] * 8, scope)) == 8
    for hole in ("{{ input.text }}", "{{ input.list }}"):
        with pytest.raises(ExpressionError, match="16,777,216 characters"):
            render([hole] * 100_000, scope)
