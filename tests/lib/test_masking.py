"""What counts as a secret by its name, and how it is masked."""

import json
from pathlib import Path

import pytest

from lib.masking import MASK, Masker, is_secret_name, masked, restored, secrets_in


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "db_password",
        "clientSecret",
        "API_KEY",
        "x-api-key",
        "Authorization",
        "Set-Cookie",
        "apiKey",
    ],
)
def test_a_name_of_a_secret(name):
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["max_tokens", "key", "business_key", "passport", "tokenize", "author", ""])
def test_a_name_of_something_else(name):
    assert not is_secret_name(name)


def test_texts_below_such_a_name_are_masked_and_nothing_else():
    value = {"user": "ann", "secrets": {"a": ["x", 1]}, "list": [{"token": "t"}], "password": "", "n": 1.5}
    assert masked(value) == {
        "user": "ann",
        "secrets": {"a": ["••••", 1]},
        "list": [{"token": "••••"}],
        "password": "",
        "n": 1.5,
    }


def test_what_is_long_enough_to_be_looked_for_is_masked_in_texts():
    secrets = secrets_in({"headers": {"Authorization": "Bearer sesame-open"}, "pin_password": "1234"})
    assert secrets == {"Bearer sesame-open", "sesame-open"}
    assert (
        Masker(secrets).masked("curl -H 'Bearer sesame-open', or sesame-open; 1234")
        == "curl -H '••••', or ••••; 1234"
    )


@pytest.mark.parametrize(
    ("was", "given", "value", "unknown"),
    [
        ({"token": "a", "n": 1}, {"token": MASK, "n": 2}, {"token": "a", "n": 2}, []),
        ({"token": {"x": "a"}}, {"token": {"x": MASK}}, {"token": {"x": "a"}}, []),
        ({"token": "a"}, {"token": "b"}, {"token": "b"}, []),
        ({"x": "a"}, {"x": MASK}, {"x": MASK}, []),
        ({}, {"token": MASK}, {"token": MASK}, [("token",)]),
        ([{"token": "a"}], [{"token": MASK}], [{"token": "a"}], []),
        (
            [{"token": "a", "n": 1}],
            [{"token": MASK, "n": True}],
            [{"token": MASK, "n": True}],
            [(0, "token")],
        ),
        ({"secrets": ["a", "b"]}, {"secrets": [MASK, MASK]}, {"secrets": ["a", "b"]}, []),
        ({"secrets": ["a", "b"]}, {"secrets": [MASK]}, {"secrets": [MASK]}, [("secrets", 0)]),
        (None, MASK, MASK, []),
    ],
)
def test_what_is_masked_still_is_as_it_was(was, given, value, unknown):
    assert restored(given, was) == (value, unknown)


def test_what_nobody_has_changed_is_as_it_was():
    value = {"login": {"password": "x", "n": None}, "list": [{"secret": ["a", {"b": "c"}]}], "token": ""}
    assert restored(masked(value), value) == (value, [])


VECTORS = json.loads((Path(__file__).parent / "masking_vectors.json").read_text())


def test_names_are_secrets_here_as_in_the_builder():
    assert [name for name in VECTORS["secret"] if not is_secret_name(name)] == []
    assert [name for name in VECTORS["plain"] if is_secret_name(name)] == []


@pytest.mark.parametrize("vector", VECTORS["values"], ids=lambda vector: vector["name"].replace(" ", "_"))
def test_values_are_masked_here_as_in_the_builder(vector):
    assert masked(vector["was"]) == vector["masked"]
    assert restored(vector["masked"], vector["was"]) == (vector["was"], [])


@pytest.mark.parametrize("vector", VECTORS["restored"], ids=lambda vector: vector["name"].replace(" ", "_"))
def test_masks_are_put_back_here_as_in_the_builder(vector):
    given, unknown = restored(vector["given"], vector["was"])
    if "unknown" not in vector:
        assert (given, unknown) == (vector["gives"], [])
        return
    said = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in unknown[0]).lstrip(".")
    assert said == vector["unknown"]
