"""Payloads of runs and steps as pages show them, folded. Written here and not as a template: a run of ten steps has
some twenty, and by templates each took a third of a millisecond.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from django import template
from django.template.defaultfilters import floatformat
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from lib.markup import file_size, icon, shortened
from runs.templatetags.shown import Part, in_parts, in_short, on_one_line, percent, source_of, unquoted

register = template.Library()

Row = Mapping[str, Any]
_PEEK = 100
_NOTHING = mark_safe("")
_AS_GIVEN = mark_safe('<p class="quiet small">As it came in.</p>')
_PROSE = mark_safe(" prose")
_LABELS = {"input": "Input", "output": "Output", "progress": "Progress", "error": "Raw error"}


@register.simple_tag
def payloads(row: Row, id: str, address: str, *, open: bool = False) -> SafeString:
    """The payloads of a run or a step; `address`: of its values as files, with a query. `open`: its output is unfolded.

    What a run failed of is told at its top: here it is only where it is too large for that.
    """
    is_step = "node" in row
    sections = [
        _payload(row, name, f"{id}-{name}", f"{address}{name}", open=open and name == "output")
        for name in (_LABELS if is_step else ("input", "output", "error"))
        if _is_shown(row, name, is_step=is_step)
    ]
    return format_html(
        '<div class="values">{}</div>', format_html_join("\n", "{}", ((each,) for each in sections))
    )


def _is_shown(row: Row, name: str, *, is_step: bool) -> bool:
    if row.get("truncated", {}).get(name) or name == "input":
        return True
    return is_step and bool(row["error"]) if name == "error" else row[name] is not None


def _payload(row: Row, name: str, id: str, download: str, *, open: bool) -> SafeString:
    label = _LABELS[name] if "node" in row or name != "error" else "Error"
    if size := row.get("truncated", {}).get(name):
        return _cut(label, size, row.get("unreadable", {}).get(name), download)
    input_value = row["input"] if name == "output" else None
    source = source_of(row) if name == "output" and "node" in row else None
    return _folded(label, row[name], input_value, source, id, download, open=open)


def _cut(label: str, size: int, why: str | None, download: str) -> SafeString:
    """A value that is not on the page: too large, or `why` it can't be read."""
    if why:
        return format_html(
            '<p class="cut"><b>{}</b> <span class="bad-text">{}</span> <span class="quiet">{}</span></p>',
            label,
            why,
            file_size(size),
        )
    return format_html(
        '<p class="cut"><b>{}</b> <span class="quiet">{}, too large to be shown here</span>'
        ' <a class="button plain small" href="{}&amp;page=1">{} Read it</a>'
        ' <a class="button plain small" href="{}" download>{} Download</a></p>',
        label,
        file_size(size),
        download,
        icon("eye"),
        download,
        icon("download"),
    )


def _folded(
    label: str, value: Any, input_value: Any, source: Part | None, id: str, download: str, *, open: bool
) -> SafeString:
    parts = in_parts(value, input_value)
    return format_html(
        '<details class="value" id="{}"{}><summary><b>{}</b> <code>{}</code></summary>'
        '<div class="value-body{}"><dl class="parts{}">{}</dl>{}</div>'
        '<p class="value-foot"><button class="button ghost small" type="button" data-copy-from="{}">{} Copy JSON'
        "</button>"
        ' <a class="button ghost small" href="{}" download>{} .json</a></p></details>',
        id,
        mark_safe(" open") if open else "",
        label,
        in_short(value),
        " beside" if source else "",
        " named" if parts and parts[0].name else "",
        format_html_join(
            "\n",
            "{}<dd>{}</dd>",
            (
                (
                    format_html("<dt>{}</dt>", part.name) if part.name else "",
                    payload_part(part, f"{id}-{place}", label, download),
                )
                for place, part in enumerate(parts, 1)
            ),
        ),
        _source(source) if source else "",
        download,
        icon("copy"),
        download,
        icon("download"),
    )


def _source(source: Part) -> SafeString:
    return format_html(
        '<div class="parts source"><p class="quiet small">Made of this text</p>'
        '<pre class="box prose" tabindex="0" role="region" aria-label="Source text">{}</pre></div>',
        source.text,
    )


@register.simple_tag
def payload_part(part: Part, id: str, label: str, download: str) -> SafeString:
    """One field of a value; `label`: for whom it is a region, `download`: the address of the whole value."""
    field = f"{download}&field={quote(part.name, safe='')}" if part.name else download
    return format_html("{}{}{}", _content(part, id, label), _left_out(part, field), _foot(part, id, field))


def _content(part: Part, id: str, label: str) -> SafeString:
    if part.is_given:
        return _AS_GIVEN
    if part.ranked:
        return _keywords(part) if part.name == "keywords" else _scores(part)
    if part.is_label:
        return format_html("<strong>{}</strong>", unquoted(part.text))
    if part.is_folded:
        return format_html(
            '<details class="json"><summary><code>{}</code></summary>'
            '<pre class="box" id="{}" tabindex="0" role="region" aria-label="{} {}">{}</pre></details>',
            shortened(on_one_line(part.text), _PEEK),
            id,
            label,
            part.name,
            part.text,
        )
    region = format_html(' tabindex="0" role="region" aria-label="{} {}"', label, part.name)
    return format_html(
        '<pre class="box{}" id="{}"{}>{}</pre>',
        _PROSE if part.is_prose else "",
        id,
        region if part.is_long else "",
        part.text,
    )


def _keywords(part: Part) -> SafeString:
    words = ((word, floatformat(score, 2)) for word, score in part.ranked)
    items = format_html_join("", "<li>{} <small>{}</small></li>", words)
    return format_html('<ul class="chips" aria-label="Keywords">{}</ul>', items)


def _scores(part: Part) -> SafeString:
    scores = ((word, percent(score), word, score, floatformat(score, 2)) for word, score in part.ranked)
    items = format_html_join(
        "",
        '<li><span>{}</span><progress class="bar" max="100" value="{}" aria-label="{}">{}</progress>'
        '<span class="number">{}</span></li>',
        scores,
    )
    return format_html('<ul class="scores" aria-label="Scores">{}</ul>', items)


def _left_out(part: Part, field: str) -> SafeString:
    if not part.left_out:
        return _NOTHING
    return format_html(
        '<p class="quiet small">{} more characters: <a href="{}">download the whole</a> or'
        ' <a href="{}&amp;page=1">read it page by page</a>.</p>',
        part.left_out,
        field,
        field,
    )


def _foot(part: Part, id: str, field: str) -> SafeString:
    if not part.is_prose or part.is_given:
        return _NOTHING
    copies = format_html(
        '<button class="button ghost small" type="button" data-copy="#{}">{} Copy</button> ', id, icon("copy")
    )
    return format_html(
        '<p class="part-foot">{}<a class="button ghost small" href="{}" download>{} .txt</a></p>',
        "" if part.left_out else copies,
        field,
        icon("download"),
    )
