"""Evidence as a PDF: headings with lines under them, in fonts for the scripts of the world."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from unicodedata import category

import noto_cjk_sans_jp_regular
from fontTools.ttLib import TTFont
from fpdf import FPDF

from tasks_inbox.evidence.readable import Line, Part, texts_of

_NOTO = Path(__file__).parent / "fonts"
MAIN = _NOTO / "NotoSans.ttf"
OTHERS = (
    Path(str(noto_cjk_sans_jp_regular.FONT_PATH)),
    *sorted(path for path in _NOTO.glob("*.ttf") if path != MAIN),
)
"""Looked at in this order for what the main one doesn't have."""

INK, QUIET = 20, 105
LABELS = 42
"""How wide the labels are, in millimetres."""
BRACKETS = {0x27E8: "‹", 0x27E9: "›"}
"""What stands for the brackets around characters made visible, which no font has."""


class _Page(FPDF):
    """A page with its number and what it belongs to at the foot."""

    foot = ""

    def footer(self) -> None:
        """What stands at the foot of each page."""
        self.set_y(-15)
        self.set_font("main", size=6.5)
        self.set_text_color(QUIET)
        self.multi_cell(0, 3.2, f"{self.foot}\nPage {self.page_no()} of {{nb}}", align="C")


def pdf_of(whole: Part, foot: str) -> bytes:
    """A PDF of `whole`, with `foot` at the foot of each page. What no font has is set as its code point."""
    page = _Page()
    page.foot = foot
    page.set_title(whole.title)
    page.set_margins(18, 18)
    page.set_auto_page_break(True, margin=20)
    page.add_font("main", fname=MAIN)
    fallbacks, replacements = _fonts_for(texts_of(whole))
    for path in fallbacks:
        page.add_font(path.stem, fname=path)
    page.set_fallback_fonts([path.stem for path in fallbacks], exact_match=False)
    page.add_page()
    _part(page, whole, replacements, level=0)
    return bytes(page.output())


def _fonts_for(texts: Iterable[str]) -> tuple[list[Path], dict[int, str]]:
    """The further fonts that these texts need, and what stands for the characters that none has."""
    missing = {ord(char) for text in texts for char in text} - _characters(MAIN) - {0x0A} - BRACKETS.keys()
    fonts = []
    for path in OTHERS:
        if missing and (has := missing & _characters(path)):
            fonts.append(path)
            missing -= has
    # What only joins or directs others is left out; the rest is told by its number.
    return fonts, BRACKETS | {
        one: "" if category(chr(one)) in ("Cf", "Cc") else f"[U+{one:04X}]" for one in missing
    }


@cache
def _characters(path: Path) -> frozenset[int]:
    with TTFont(path, lazy=True) as font:
        return frozenset(font.getBestCmap())


def _part(page: FPDF, part: Part, replacements: dict[int, str], level: int) -> None:
    page.ln(2 if level else 0)
    page.set_text_color(INK)
    page.set_font("main", size=(15, 12, 10)[level])
    page.multi_cell(
        0, (8, 6.5, 5.5)[level], part.title.translate(replacements), new_x="LMARGIN", new_y="NEXT"
    )
    if level < 2:
        page.set_draw_color(190)
        page.line(page.l_margin, page.get_y() + 0.5, page.w - page.r_margin, page.get_y() + 0.5)
        page.ln(2)
    for line in part.lines:
        _line(page, line, replacements)
    for below in part.parts:
        _part(page, below, replacements, min(level + 1, 2))


def _line(page: FPDF, line: Line, replacements: dict[int, str]) -> None:
    label, text = (one.translate(replacements) for one in line)
    page.set_font("main", size=8.5)
    page.set_text_color(QUIET)
    page.multi_cell(LABELS, 4.6, label, align="L", new_x="RIGHT", new_y="TOP")
    page.set_text_color(INK)
    margin = page.l_margin
    # What goes on over a page's end stays in its column.
    page.set_left_margin(margin + LABELS)
    page.multi_cell(0, 4.6, text or " ", align="L", new_x="LMARGIN", new_y="NEXT")
    page.set_left_margin(margin)
    page.set_x(margin)
