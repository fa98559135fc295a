"""Runs as the rows of a table. Written here and not as a template: a page has 500 of these cells, and by one a template
took a third of a millisecond.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from accounts import people
from lib.markup import icon, iso, named, short, shortened, time_element
from lib.reader import moment_text
from runs.reading.run_view import LABELLED, Column
from runs.templatetags.shown import at_risk, deadline, lasted, probable_time, so_far, status_pill
from workflows import titles

register = template.Library()

Row = Mapping[str, Any]
_ANY_RUN = UUID(int=0)
_NOTHING = mark_safe('<span class="quiet">–</span>')
_PICK_ALL = mark_safe(
    '<th class="pick"><input type="checkbox" data-pick-all aria-label="Select all on this page"></th>'
)
_PREVIEWS = mark_safe('<th class="peek"><span class="sr-only">Preview</span></th>')


@register.simple_tag
def run_table(
    runs: Iterable[Row], headings: Sequence[tuple[str, str]], *, selects: bool = False
) -> SafeString:
    """Rows of runs (`runs.web.listing`) as a table with these columns, (name, heading) each, beside the run itself.

    `selects`: with boxes to select runs by, and with previews.
    """
    run, preview = reverse("run", args=[_ANY_RUN]), reverse("run-preview", args=[_ANY_RUN])
    columns = [name for name, _ in headings]
    return format_html(
        '<table class="rows run-rows"><thead><tr>{}<th scope="col" class="what">Run</th>{}{}</tr></thead>'
        "<tbody>{}</tbody></table>",
        _PICK_ALL if selects else "",
        format_html_join("", '<th scope="col" class="of-{}">{}</th>', headings),
        _PREVIEWS if selects else "",
        format_html_join(
            "\n",
            "{}",
            ((_row(row, run, preview, columns, selects=selects),) for row in runs),
        ),
    )


def _row(row: Row, run: str, preview: str, columns: Sequence[str], *, selects: bool) -> SafeString:
    """`run`, `preview`: the addresses of a run's page and preview, with another id."""
    id, another = row["id"], str(_ANY_RUN)
    cells = format_html_join("", "{}", ((_CELLS[name](row),) for name in columns))
    what = format_html(
        '<td class="what"><a href="{}" title="{}">{} <span class="quiet">{}{}</span></a></td>',
        run.replace(another, id),
        id,
        _called(row),
        named(titles.title_of(row["workflow"]), row["workflow"]),
        " · test" if row["test"] else "",
    )
    if not selects:
        return format_html('<tr data-run="{}">{}{}</tr>', id, what, cells)
    return format_html(
        '<tr id="row-{0}" data-run="{0}"><td class="pick"><input type="checkbox" name="ids" value="{0}" form="bulk"'
        ' aria-label="Select {1}"></td>{2}{3}<td class="peek"><button class="button ghost icon-only" type="button"'
        ' data-preview="{4}" aria-label="Preview" title="Preview (Space)">{5}</button></td></tr>',
        id,
        shortened(row["called"] or id, 60),
        what,
        cells,
        preview.replace(another, id),
        icon("chevron-right"),
    )


def _called(row: Row) -> SafeString:
    if row["called"]:
        return format_html("<strong>{}</strong>", shortened(row["called"], 120))
    return format_html("<code>{}</code>", short(row["id"]))


def _status(row: Row) -> SafeString:
    return format_html('<td class="of-status">{}</td>', status_pill(row["status"]))


def _now(row: Row) -> SafeString:
    now, risk = row["now"], at_risk(row)
    is_told_quietly = row["completed_at"] and row["status"] != "FAILED"
    return format_html(
        '<td class="of-now"{}>{}{}</td>',
        format_html(' title="{}"', now) if now else "",
        ""
        if not risk
        else format_html(
            '<span class="status" data-severity="warning" title="Probability of missing the deadline">'
            "Risk {} %</span> ",
            risk,
        ),
        format_html('<span class="quiet">{}</span>', now) if is_told_quietly else now,
    )


def _started(row: Row) -> SafeString:
    return format_html('<td class="of-started">{}</td>', time_element(row["created_at"]))


def _by(row: Row) -> SafeString:
    return format_html(
        '<td class="of-by">{}</td>', named(people.name_of(row["created_by"]), row["created_by"])
    )


def _took(row: Row) -> SafeString:
    if row["completed_at"]:
        return format_html('<td class="of-took">{}</td>', lasted(row))
    since = row["created_at"]
    return format_html(
        '<td class="of-took"><time datetime="{}" data-since="">{}</time></td>', iso(since), so_far(since)
    )


def _deadline(row: Row) -> SafeString:
    if not row["due"]:
        return format_html('<td class="of-deadline">{}</td>', _NOTHING)
    stands = deadline(row) if row["sla_deadline"] else ""
    title = stands and f"The run itself: {stands}"
    if row["is_of_task"]:
        title = "Its open task is due then" + (stands and f"; the run itself: {stands}")
    return format_html(
        '<td class="of-deadline{}"><span title="{}">{}</span></td>',
        " bad-text" if row["is_late"] else "",
        title,
        time_element(row["due"]),
    )


def _likely(row: Row) -> SafeString:
    forecast = row["forecast"]
    if not forecast:
        return format_html('<td class="of-likely">{}</td>', _NOTHING)
    return format_html(
        '<td class="of-likely"><span class="only-narrow">likely </span>'
        '<span title="Nine of ten runs like it are done by {}">{}</span></td>',
        moment_text(forecast["p90"], seconds=False),
        time_element(forecast["p50"], words=probable_time(forecast["p50"])),
    )


def _version(row: Row) -> SafeString:
    number = row["version"]
    words = format_html('<span class="only-narrow">v</span>{}', number) if number else _NOTHING
    return format_html('<td class="of-version">{}</td>', words)


def _column(row: Row, name: str, column: Column) -> SafeString:
    words = column.words(row[name]) or _NOTHING
    return format_html('<td class="of-{}">{}</td>', name, words)


_CELLS: dict[str, Callable[[Row], SafeString]] = {
    "status": _status,
    "now": _now,
    "started": _started,
    "by": _by,
    "took": _took,
    "deadline": _deadline,
    "likely": _likely,
    "version": _version,
    **{name: partial(_column, name=name, column=column) for name, column in LABELLED.items()},
}
"""The cells of `runs.reading.filters.COLUMNS`."""
