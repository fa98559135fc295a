"""No step takes more than its share for texts that are made to slow it down; a new type is here by itself."""

from collections.abc import Iterator

import pytest

from steps.base import StepType, execute
from steps.catalogue import CATALOGUE
from tests.growth.measuring import steep, steep_in_mixtures

# What others do, and what reaches others, is not ours to measure: only what is read before that.
ALONE = ("inline", "engine", "wait")
SENTENCES = "A b c. " + "." * 120_000 + "a"


def places(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where the value has texts."""
    if isinstance(value, str):
        yield at
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))


def with_text(value: object, at: tuple[str | int, ...], text: str) -> object:
    """The value with this text at that place."""
    if not at:
        return text
    if isinstance(value, dict):
        return {key: with_text(item, at[1:], text) if key == at[0] else item for key, item in value.items()}
    assert isinstance(value, list)
    return [with_text(item, at[1:], text) if key == at[0] else item for key, item in enumerate(value)]


def used(step_type: StepType, example: dict[str, object]) -> None:
    """Do what the engine does with a step: all of it, where that needs nobody else."""
    params, given = example["params"], example["input"]
    if step_type.kind in ALONE:
        execute(step_type, params, given, run_id="r", node="n", attempt=1, idempotency_key="r:n")
        return
    step_type.params_model.model_validate(params)
    if step_type.input_model is not None:
        step_type.input_model.model_validate(given)


CASES = [(name, at) for name, step_type in CATALOGUE.items() for at in places(dict(step_type.example))]


@pytest.mark.parametrize(
    ("name", "at"), CASES, ids=lambda case: case if isinstance(case, str) else ".".join(map(str, case))
)
def test_a_step_grows_with_its_texts(name: str, at: tuple[str | int, ...]):
    step_type = CATALOGUE[name]
    measured = steep if at[0] == "input" else steep_in_mixtures
    assert measured(lambda text: used(step_type, with_text(dict(step_type.example), at, text)), 2_000) == {}


@pytest.mark.parametrize(
    "name", [name for name in CATALOGUE if name.startswith("text.") and CATALOGUE[name].kind in ALONE]
)
def test_a_text_that_hung_a_step_for_ever_is_read(name: str):
    step_type = CATALOGUE[name]
    used(step_type, {"params": step_type.example["params"], "input": {"text": SENTENCES}})
    assert not steep(
        lambda text: used(step_type, {**step_type.example, "input": {"text": f"{SENTENCES}{text}"}}),
        1,
        ["'.'"],
    )
