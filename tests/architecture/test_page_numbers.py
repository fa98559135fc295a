"""The numbers that keep templates and scripts readable; they may be tightened, never loosened."""

from pathlib import Path

from tests.architecture.sources import PACKAGES, ROOT, offenders, source

MOST_LINES_OF_A_SCRIPT = 400
MOST_LINES_OF_A_TEMPLATE = 150
MOST_LINES_OF_A_STYLE_SHEET = 600
MOST_COLUMNS_OF_A_TEMPLATE = 120
STILL_WIDE = Path(__file__).with_name("wide_templates.txt")
"""The templates that still have wider lines, each by its name; no name is added."""

# The build and what it came from are no files of ours.
OTHERS = {"builder", "node_modules", "vendor"}


def ours(pattern: str, *folders: str) -> list[str]:
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob(pattern))
    return sorted(str(path) for path in found if not OTHERS & set(path.parts))


TEMPLATES = [path for path in ours("*.html", "templates", *PACKAGES) if "templates" in path.split("/")]
SCRIPTS = [
    path for kind in ("ts", "tsx", "js", "mjs") for path in ours(f"*.{kind}", "frontend", "static", *PACKAGES)
]
STYLE_SHEETS = ours("*.css", "frontend", "static", *PACKAGES)


def is_longer(most: int):
    return lambda path: len(source(path).splitlines()) > most


def wide_templates() -> set[str]:
    """The names of templates with lines that are too wide: a template that moves to its feature keeps its name."""
    return {
        path.rpartition("templates/")[2]
        for path in TEMPLATES
        if max(map(len, source(path).splitlines()), default=0) > MOST_COLUMNS_OF_A_TEMPLATE
    }


def test_a_script_can_be_read_in_one_sitting():
    assert len(SCRIPTS) > 200
    assert offenders(SCRIPTS, is_longer(MOST_LINES_OF_A_SCRIPT)) == {}


def test_a_template_can_be_read_in_one_sitting():
    assert len(TEMPLATES) > 200
    assert offenders(TEMPLATES, is_longer(MOST_LINES_OF_A_TEMPLATE)) == {}


def test_a_style_sheet_is_about_one_thing():
    assert len(STYLE_SHEETS) > 25
    assert offenders(STYLE_SHEETS, is_longer(MOST_LINES_OF_A_STYLE_SHEET)) == {}


def test_a_line_of_a_template_fits_beside_another_one():
    """A name that is missing from the list is a template to be wrapped; one too many is to be taken out of it."""
    listed = STILL_WIDE.read_text().splitlines()
    assert listed == sorted(listed)
    assert {"wide": wide_templates() - set(listed), "narrow or gone": set(listed) - wide_templates()} == {
        "wide": set(),
        "narrow or gone": set(),
    }
