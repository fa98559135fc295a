"""What code and pages cite is there: documents with their headings, requirements by number, links between pages, names
of what a file defines.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture import sources
from tests.architecture.sources import KINDS, ROOT

REQUIREMENTS = "docs/requirements.md"
# Documents of those who built it, which no reader of the repository has.
ELSEWHERE = ("DESIGN", "ENGINE", "SECURITY", "STYLE", "UX", "GOTCHAS", "SPEC", "HOUSE", "UI-STACK")

_ELSEWHERE = re.compile(rf"(?<![\w-])(?:{'|'.join(ELSEWHERE)})(?![\w-])")
_NUMBER = re.compile(r"(?<![\w-])(?:R-\d{3}|[CH]-\d{1,2})(?![\w-])")
# R-142…R-149, `R-085 to R-087`
_RANGE = re.compile(r"(?<![\w-])([RCH])-(\d{1,3})(?: to |…|–)\1-(\d{1,3})(?![\w-])")
# A word in quotes is a value, such as the key "ENGINE" of Django's settings, or the number of an order.
_VALUE = re.compile(r"(?<!\")\"[\w-]+\"(?!\")")
_INVARIANT = re.compile(r"\bI\d{1,2}\b")
_ROW = re.compile(r"^\| ([RCHI]-?\d+) \|", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINE_END = re.compile(r"\s*\n\s*(?:#|--|//|\*)?\s*")
# docs/engine.md, "Leases", "Waits"; the name may be code or a link, and the comma may be missing.
_PAGE = re.compile(r"\bdocs/([\w./-]+?)\.md\b(?:`|\)|\]\([^)]*\))?((?:(?:,| and)? \"[^\"]+\")*)")
_DECISION = re.compile(r"\bdocs/decisions/(\d{4})\b")
_LINK = re.compile(r"\]\(([^)\s:]*?)(?:#([^)\s]*))?\)")
# A link that is called as a file: [`plan.py`](../runs/kernel/plan.py)
_CALLED = re.compile(r"\[`([\w./-]+\.\w+)`\]\(([^)\s:#]+)\)")
# `publish` in `versions/lifecycle.py`, `CALLS` in `jobs.py` or `runs.py`, `Affinity` in [`plan.py`](…),
# `SchemaForms(fits)` of `lib/forms/`, `NEVER_A_SERVICES` ([`accounts/roles.py`](…))
_CODE = r"\.(?:py|sql|ts|tsx|proto)"
_FILE = rf"\[?`[\w./-]+(?:{_CODE}|/)`(?:\]\([^)\s]+\))?"
_SYMBOL = re.compile(
    rf"`(?!\w+{_CODE}`)([\w.]+)(?:\([^`]*\))?`,? (?:(?:of|in|from) |\()({_FILE}(?: or {_FILE})*)"
)
_TARGET = re.compile(r"`([^`]+)`(?:\]\(([^)]+)\))?")


@cache
def texts() -> dict[str, str]:
    """The text of each file by its path, but for this one, whose samples are made up."""
    here = str(Path(__file__).relative_to(ROOT))
    return {path: text for path, text in sources.texts().items() if path != here}


@cache
def headings(page: str) -> frozenset[str]:
    """The headings of a page as they are cited, without marks of code."""
    found = _HEADING.findall(_FENCE.sub("", (ROOT / page).read_text()))
    return frozenset(heading.replace("`", "") for heading in found)


def anchor(heading: str) -> str:
    """What a link to a heading ends with, as forges make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def cited_pages(text: str) -> Iterator[tuple[str, list[str]]]:
    for match in _PAGE.finditer(_LINE_END.sub(" ", text)):
        yield f"docs/{match[1]}.md", re.findall(r'"([^"]+)"', match[2])


def missing_pages(text: str) -> Iterator[str]:
    for page, wanted in cited_pages(text):
        if not (ROOT / page).is_file():
            yield page
            continue
        # `docs/api.md, "Jobs"` may be short for "Jobs: work that is done elsewhere".
        known = headings(page)
        short = {heading.partition(":")[0] for heading in known}
        yield from (f'{page}, "{heading}"' for heading in wanted if heading not in known | short)
    for number in _DECISION.findall(text):
        if not any((ROOT / "docs/decisions").glob(f"{number}-*.md")):
            yield f"docs/decisions/{number}"


def broken_links(path: str, text: str) -> Iterator[str]:
    for target, wanted in _LINK.findall(_FENCE.sub("", text)):
        page = (ROOT / path).parent / target if target else ROOT / path
        if not page.exists():
            yield target
        elif wanted and wanted not in map(anchor, headings(str(page.resolve().relative_to(ROOT)))):
            yield f"{target}#{wanted}"


def cited_symbols(text: str) -> Iterator[tuple[str, str]]:
    """Each name that is said to be of a file or folder, with that: as a link leads there, or else as it is called."""
    for name, files in _SYMBOL.findall(_LINE_END.sub(" ", _FENCE.sub("", text))):
        yield from ((name, target or called) for called, target in _TARGET.findall(files))


def defines(text: str, name: str) -> bool:
    """Whether a file defines this: a function, class, field, constant, statement or whatever SQL creates."""
    word = re.escape(name)
    python = rf"^\s*(?:(?:async )?def|class) {word}\b|^\s*{word}(?:: [^=\n]+)? = |^\s*{word}: "
    sql = rf"^-- name: {word}\b|\b(?:FUNCTION|INDEX|TABLE|TRIGGER|VIEW) (?:IF NOT EXISTS )?{word}\b"
    others = rf"\b(?:class|const|enum|function|interface|let|message|rpc|service|type) {word}\b"
    return re.search(f"{python}|{sql}|{others}", text, re.MULTILINE) is not None


def missing_symbols(path: str, text: str) -> Iterator[str]:
    for name, target in cited_symbols(text):
        places = ((ROOT / path).parent / target, ROOT / target)
        found = next((place for place in places if place.exists()), None)
        if found is None:
            yield f"{name} of {target}, which is not there"
            continue
        files = [found] if found.is_file() else [file for file in found.rglob("*") if file.suffix in KINDS]
        if not any(all(defines(file.read_text(), part) for part in name.split(".")) for file in files):
            yield f"{name} of {target}"


def rows(page: str) -> set[str]:
    return set(_ROW.findall((ROOT / page).read_text()))


def test_every_page_that_is_cited_exists_with_its_heading():
    found = {path: lost for path, text in texts().items() if (lost := [*missing_pages(text)])}
    assert found == {}


def test_every_link_of_a_page_leads_somewhere():
    pages = {path: text for path, text in texts().items() if path.endswith(".md")}
    assert {path: lost for path, text in pages.items() if (lost := [*broken_links(path, text)])} == {}


def test_a_link_that_is_called_as_a_file_leads_to_it():
    wrong = {
        path: lost
        for path, text in texts().items()
        if path.endswith(".md")
        and (lost := [called for called, to in _CALLED.findall(text) if not f"/{to}".endswith(f"/{called}")])
    }
    assert wrong == {}


def test_every_file_defines_what_pages_say_is_in_it():
    pages = {path: text for path, text in texts().items() if path.endswith(".md")}
    assert {path: lost for path, text in pages.items() if (lost := [*missing_symbols(path, text)])} == {}


def cited_numbers(text: str) -> set[str]:
    """The requirements that a text names, those between the ends of a range, too."""
    plain = _VALUE.sub("", text)
    between = {
        f"{kind}-{number:0{len(first)}}"
        for kind, first, last in _RANGE.findall(plain)
        for number in range(int(first), int(last) + 1)
    }
    return between | set(_NUMBER.findall(plain))


def test_requirements_are_listed_as_far_as_they_are_cited():
    cited = {
        number for path, text in texts().items() if path != REQUIREMENTS for number in cited_numbers(text)
    }
    assert cited - rows(REQUIREMENTS) == set(), f"say in {REQUIREMENTS} what is required"
    assert rows(REQUIREMENTS) - cited == set(), "nobody cites it any more"


def test_invariants_are_listed_as_far_as_they_are_cited():
    cited = {
        number
        for path, text in texts().items()
        if path.endswith((".py", ".sql"))
        for number in _INVARIANT.findall(text)
    }
    listed = {row for row in rows("docs/security.md") if row.startswith("I")}
    assert cited == listed


def test_no_document_is_cited_that_a_reader_does_not_have():
    found = {
        path: lost for path, text in texts().items() if (lost := _ELSEWHERE.findall(_VALUE.sub("", text)))
    }
    assert found == {}


def test_a_range_cites_all_that_is_in_it():
    assert cited_numbers("(R-008…R-010, H-9 to H-10; C-01)") == {
        "R-008",
        "R-009",
        "R-010",
        "H-9",
        "H-10",
        "C-01",
    }


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ('# As docs/engine.md, "Waits", has it.', []),
        ('# docs/engine.md,\n# "Lock\n# order".', []),
        ('`docs/api.md` "Jobs"', []),
        ('[engine](docs/engine.md), "No such rule"', ['docs/engine.md, "No such rule"']),
        ("docs/no_such_page.md", ["docs/no_such_page.md"]),
        ("docs/decisions/0001 and docs/decisions/9999", ["docs/decisions/9999"]),
    ],
)
def test_what_counts_as_a_citation(text, lost):
    assert [*missing_pages(text)] == lost


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("`REQUIREMENTS` in `test_citations.py`, `ROOT` of `tests/architecture/sources.py`", []),
        ("`Function.decorators`\nin [`sources.py`](sources.py)", []),
        ("`ROOT` in `test_citations.py` or `sources.py`", ["ROOT of test_citations.py"]),
        ("`layers_of(app)` (`test_layers_in_docs.py`)", []),
        ("`offenders(paths)` of `tests/architecture/`", []),
        ("`Keep` in\n  [`plan.py`](../../runs/kernel/plan.py)", ["Keep of ../../runs/kernel/plan.py"]),
        ("`find_webhook` of `triggers/webhooks/sql/webhooks.sql`", []),
        (
            "`find_nothing` of `triggers/webhooks/sql/webhooks.sql`",
            ["find_nothing of triggers/webhooks/sql/webhooks.sql"],
        ),
        ("`runs_wake_source` in `runs/sql/schema/wake_source.sql`", []),
        ("`gone` in `no_such_file.py`", ["gone of no_such_file.py, which is not there"]),
        ("Commands of `manage.py`; `pids` in `run.json`; `routes.py` (`test_generated.py`)", []),
    ],
)
def test_what_counts_as_a_name_of_a_file(text, lost):
    assert [*missing_symbols("tests/architecture/README.md", text)] == lost
