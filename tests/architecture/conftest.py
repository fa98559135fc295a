"""What is parsed for the tests of this folder is forgotten after each module: it is two million objects, which every
collection of garbage looks through.
"""

from collections.abc import Iterator

import pytest

from tests.architecture import sources


@pytest.fixture(scope="module", autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    sources.nodes.cache_clear()
