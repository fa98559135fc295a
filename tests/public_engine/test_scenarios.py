"""The public engine's own scenarios, by its own workers, against a Handoff: where its sources and tools are here.

`HANDOFF_PUBLIC_ENGINE` names a checkout of `batnam/rochallor-engine`; `HANDOFF_PUBLIC_ENGINE_BUILD` a folder to build
in that stays. A language whose tools are missing is skipped, and says which.
"""

import os
from pathlib import Path

import pytest

from tests.public_engine import build
from tests.public_engine.run import SCENARIOS, SOURCES, TRANSPORTS, results, sources, table
from tests.public_engine.serving import handoff

pytestmark = [
    pytest.mark.processes,
    pytest.mark.toolchains,
    pytest.mark.timeout(3_600),
    pytest.mark.skipif(sources() is None, reason=f"{SOURCES} names no checkout of the public engine"),
]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder to build in."""
    kept = os.environ.get(f"{SOURCES}_BUILD")
    folder = Path(kept).absolute() if kept else tmp_path_factory.mktemp("public_engine")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    """Those of a Handoff with an open tenant."""
    with handoff(tmp_path_factory.mktemp("open")) as doors:
        yield doors


@pytest.mark.parametrize("sdk", build.WORKERS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_all_scenarios_pass(out, doors, transport, sdk):
    try:
        found = results(sources(), out, [sdk], doors, transport)
    except build.CannotBuild as reason:
        pytest.skip(str(reason))
    print(table(found))
    assert len(found) == SCENARIOS
    assert [name for name, passed in found.items() if not passed] == []
