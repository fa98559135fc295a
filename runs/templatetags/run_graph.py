"""The steps of a run as cards of its graph. Written here and not as a template: a run has hundreds, and by one a card
took a third of a millisecond.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from html import escape
from typing import Any
from urllib.parse import quote

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from engine.step_titles import card_lines
from lib.markup import icon
from lib.reader import number_text
from runs.templatetags.shown import as_duration, step_mark, type_icon, type_title

register = template.Library()

Row = Mapping[str, Any]
_SAME = "<li></li>"
"""A step that the page shows already as it is."""


@register.simple_tag
def graph_steps(
    steps: Iterable[Row],
    to_step: str,
    selected: Row | None,
    ways: Mapping[str, str],
    nodes_on_page: Collection[str],
) -> SafeString:
    """The steps of a run as cards, in their order; `to_step`: the address that selects one, but for the step.

    `ways`: where each led, as JSON; `nodes_on_page`: the page shows these already as they are.
    """
    selected_node, address = selected["node"] if selected else None, escape(to_step)
    cards = [
        _SAME
        if step["node"] in nodes_on_page
        else _card(step, address, ways.get(step["node"]), selected_node)
        for step in steps
    ]
    return mark_safe("\n".join(cards))  # noqa: S308 (what is not ours is escaped in each card)


def _card(step: Row, address: str, targets: str | None, selected_node: str | None) -> str:
    """Text by text: where hundreds come at once each call of `format_html` counts."""
    node, status, child, attempt = step["node"], step["status"], step["child_run"], step["attempt"]
    # What the page compares, to leave a card alone that would look the same.
    state = (status, attempt, step["duration_ms"], step["items"], child, targets)
    seen = " ".join(["" if each is None else str(each) for each in state])
    failed, is_chosen = step["error"], selected_node == node
    title, about = _lines(step)
    badge = f'<span class="graph-badge">{attempt} attempts</span>' if attempt > 1 else ""
    return (
        f'<li class="graph-step" data-step="{escape(node)}"'
        f' data-as="{escape(seen)} {"!" if failed else ""}{"*" if is_chosen else ""}"'
        f' data-status="{status}"{" data-failed" if failed else ""}'
        f"{_taken(targets) if targets else ''}>"
        f'<a href="{address}&amp;step={quote(node, safe="")}" data-look{_CURRENT if is_chosen else ""}>'
        f"{_icon(step['type'])}<strong>{escape(title)}</strong> <small>{escape(about)}</small></span> "
        f"{_mark(status)}{badge}</a>{_child(step['title'] or node, child) if child else ''}</li>"
    )


@register.filter
def type_beside(type_: str, title: str) -> str:
    """The title of a type beside that of a step; nothing where the step is called by its type."""
    words = type_title(type_)
    return "" if title.startswith(f"{words} (") else words


@register.filter
def step_about(step: Row) -> str:
    """What stands below the title of a step of a run: its type, the attempt, and how long it took."""
    parts = [type_beside(step["type"], step["title"] or step["node"])]
    if step["attempt"] > 1 or step["next_attempt_at"]:
        parts.append(f"attempt {step['attempt']} of {step['max_attempts']}")
    if step["duration_ms"] is not None:
        parts.append(as_duration(step["duration_ms"]))
    return " · ".join(filter(None, parts))


def _taken(ways: str) -> str:
    return f' data-taken="{escape(ways)}"'


_mark = lru_cache(maxsize=100)(step_mark)
_CURRENT = ' aria-current="true"'
_FAILED = mark_safe(" data-failed")


@lru_cache(maxsize=500)
def _icon(type_: str) -> SafeString:
    """The beginning of what a card says of a step of this type. A process knows the types that there are."""
    return format_html('<span class="step-mark">{}</span><span class="graph-words">', icon(type_icon(type_)))


def _words(type_: str, title: str, about: SafeString | str) -> SafeString:
    return format_html("{}<strong>{}</strong> <small>{}</small></span> ", _icon(type_), title, about)


def _lines(step: Row) -> tuple[str, str]:
    """The two lines of a card: what the step is called, and what of it, how far or how long."""
    items, took, kind = step["items"], step["duration_ms"], type_title(step["type"])
    title, caption = card_lines(step["title"] or step["node"], step["node"], kind)
    is_counted = bool(items and items["total"])
    parts = [caption] if caption != kind or not is_counted else []
    parts += [_items(items)] if is_counted else []
    return title, " · ".join(parts if took is None else [*parts, as_duration(took)])


def _items(items: Row) -> str:
    many = f"{'round' if items['rounds'] else 'item'}{'' if items['total'] == 1 else 's'}"
    failed = f", {number_text(str(items['failed']))} failed" if items["failed"] else ""
    return f"{number_text(str(items['ended']))} of {number_text(str(items['total']))} {many}{failed}"


def _child(title: str, run: str) -> SafeString:
    return format_html(
        '<a class="graph-child" href="{}" aria-label="Open the run of {}" title="Open its run">{}</a>',
        reverse("run", args=[run]),
        title,
        icon("external-link"),
    )


@register.simple_tag
def graph_inner(steps: Iterable[Any], to_step: str) -> SafeString:
    """The steps within the containers of a run (`runs.web.inner`) as cards: each over all items."""
    return format_html_join("\n", "{}", ((_inner_card(step, to_step),) for step in steps))


def _inner_card(step: Any, to_step: str) -> SafeString:
    state = (step.status, step.failed, step.over, step.total, step.run, step.undone)
    title, caption = card_lines(step.title, step.node, type_title(step.type))
    return format_html(
        '<li class="graph-step inner" data-inner data-step="{}" data-as="{}" data-status="{}"{}>{}{}{}</a></li>',
        step.node,
        " ".join("" if each is None else str(each) for each in state),
        step.status,
        _FAILED if step.failed else "",
        _to_items(step, to_step),
        _words(step.type, title, _over(step, caption)),
        step_mark(step.status),
    )


def _to_items(step: Any, to_step: str) -> SafeString:
    """The beginning of a link to an item's run, or to the container."""
    if not step.run:
        return format_html('<a href="{}&amp;step={}" data-look>', to_step, quote(step.container, safe=""))
    what = "it failed" if step.failed else "it is done"
    return format_html(
        '<a href="{}?step={}" title="Open the first item of which {}">',
        reverse("run", args=[step.run]),
        quote(step.node, safe=""),
        what,
    )


def _over(step: Any, caption: str) -> SafeString | str:
    about = caption
    if step.counts:
        total = "?" if step.total is None else number_text(str(step.total))
        far = f"{number_text(str(step.over))} of {total}{', not all counted' if step.is_cut else ''}"
        about = far if caption == type_title(step.type) else f"{caption} · {far}"
        if step.undone:
            about = f"{about} · {number_text(str(step.undone))} undone"
    if not step.failed:
        return about
    return format_html('<span class="bad-text">{} failed</span> · {}', number_text(str(step.failed)), about)
