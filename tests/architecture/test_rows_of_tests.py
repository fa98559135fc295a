"""Rows of tests come from the factories; an exception is written down here, with its reason."""

import re

from tests.architecture.sources import offenders, ours, source

MADE = re.compile(
    r"\.(?:objects|unsafe_all_tenants)\s*(?:\.for_tenant\([^()]*\)\s*)?\.(?:bulk_create|create|create_user|get_or_create|update_or_create)\("
)
MAY_MAKE_ROWS = {
    "tests/accounts/test_login.py": "hundreds of failed logins at a time",
    "tests/operations/dispatch/factories.py": "what hours of samples say, a row a minute",
    "tests/store/test_list_plans.py": "so many signals that a plan reads an index",
    "tests/web/made_runs.py": "tens of thousands of runs of known make",
    "tests/workflows/test_services.py": "what the tables refuse, however it is made",
}


def test_tests_make_no_rows_but_by_the_factories():
    tests = [path for path in ours("tests") if not path.startswith("tests/factories/")]
    found = offenders(tests, lambda path: MADE.findall(source(path)))
    others = sorted(found.keys() - MAY_MAKE_ROWS.keys())
    assert others == [], f"make these rows by a factory of tests/factories: {', '.join(others)}"
    assert MAY_MAKE_ROWS.keys() - found.keys() == set(), "no longer an exception"
