"""The pages that say who may import whom name what the contracts of `pyproject.toml` name, in their order."""

import re
import tomllib

import pytest

from tests.architecture.sources import ROOT

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
PAGES = ("CONTRIBUTING.md", "docs/architecture.md")
# "Inside `runs`: …" or "And inside `workflows`: …", up to the end of the paragraph.
_ROOMS = re.compile(r"^(?:And i|I)nside `(\w+)`(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_CHAIN = re.compile(r"`(\w+(?: → \w+)+)`")
PARAGRAPHS = [(page, *found) for page in PAGES for found in _ROOMS.findall((ROOT / page).read_text())]


def layers_of(app: str) -> list[set[str]]:
    """The rooms of an app from the doors down, as its contract has them, but for Django's entry."""
    [layers] = [contract["layers"] for contract in CONTRACTS if contract.get("containers") == [app]]
    return [set(re.findall(r"\w+", layer)) for layer in layers if layer != "apps"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_chain_of_imports_as_it_is_checked(page):
    chains = _CHAIN.findall((ROOT / page).read_text())
    assert [chain.split(" → ") for chain in chains] == [CONTRACTS[0]["layers"]]


def test_rooms_are_told_where_they_were():
    assert [(page, app) for page, app, _ in PARAGRAPHS] == [
        ("CONTRIBUTING.md", "runs"),
        ("docs/architecture.md", "runs"),
        ("docs/architecture.md", "workflows"),
        ("docs/architecture.md", "tasks_inbox"),
    ]


@pytest.mark.parametrize(
    ("page", "app", "told"), PARAGRAPHS, ids=[f"{page}: {app}" for page, app, _ in PARAGRAPHS]
)
def test_a_page_names_each_room_of_an_app_from_the_doors_down(page, app, told):
    named, layers = re.findall(r"`(\w+)`", told), layers_of(app)
    assert sorted(named) == sorted(set().union(*layers)), page
    depths = [next(depth for depth, layer in enumerate(layers) if name in layer) for name in named]
    assert depths == sorted(depths), f"{page} has {named} in another order than pyproject.toml"
