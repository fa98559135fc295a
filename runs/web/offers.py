"""What may go on a word that is being written in the search of a list of runs."""

from functools import partial

from accounts.people import called
from accounts.principal import Principal
from accounts.queries import members_of
from accounts.roles import READ
from lib.search_grammar import NotUnderstood, parse
from runs.kernel import graphs
from runs.limits import KEY_OFFERS, SEARCH_OFFERS, WORKFLOW_NAMES
from runs.reading import queries, search_words
from runs.reading.filters import GROUPS
from runs.reading.run_view import FILTERED
from runs.store.keys import keys_begun
from workflows.access import open_to
from workflows.models import Workflow
from workflows.queries import latest_of, versions_of

_DAYS = [
    ("today", "today"),
    ("yesterday", "yesterday"),
    ("monday", "the last Monday"),
    ("7d", "7 days ago"),
]
_SPANS = [(">1h", "an hour"), (">1d", "a day"), (">2d", "2 days"), (">1w", "a week")]


def offers(principal: Principal, text: str) -> list[search_words.Offer]:
    """How the word at the end of a text may go on, with what they may read: workflows, the versions and steps of the
    one that the text names, its business keys, and their colleagues.
    """
    try:
        terms = [term for clause in parse(text, search_words.GRAMMAR) for term in clause]
    except NotUnderstood:
        terms = []
    workflow = next((term.value for term in terms if term.name == "workflow"), "")
    values = {
        "workflow": lambda: queries.workflow_names(principal, WORKFLOW_NAMES),
        "status": lambda: [(name, words) for name, (words, _) in GROUPS.items()],
        "version": lambda: _versions(principal, workflow),
        "step": lambda: _steps(principal, workflow),
        "key": lambda: _keys(principal, workflow, search_words.key_begun(text)),
        "by": lambda: [(queries.ME, "you"), *_colleagues(principal.tenant_id)],
        "since": lambda: _DAYS,
        "until": lambda: _DAYS,
        "waiting": lambda: _SPANS,
        "test": lambda: [("yes", "tests of drafts")],
    }
    values |= {name: partial(list, column.options) for name, column in FILTERED.items()}
    return search_words.offers(text, values)[:SEARCH_OFFERS]


def _versions(principal: Principal, name: str) -> list[tuple[str, str]]:
    workflow = _readable(principal, name)
    if workflow is None:
        return []
    numbers = versions_of(workflow).order_by("-number").values_list("number", flat=True)[:SEARCH_OFFERS]
    return [(str(number), f"version {number}") for number in numbers]


def _steps(principal: Principal, name: str) -> list[tuple[str, str]]:
    """The steps of the latest version, which an old one need not have."""
    workflow = _readable(principal, name)
    version = workflow and latest_of(workflow)
    nodes = graphs.shown(version.pk).graph.nodes.values() if version else []
    return [(node.id, node.title) for node in nodes]


def _keys(principal: Principal, workflow: str, begun: str) -> list[tuple[str, str]]:
    """Business keys that begin so, as they are written, of the workflow that the text names or of all."""
    if not begun or "\x00" in begun:
        return []
    rows = open_to(principal, READ)
    rows = rows.filter(name=workflow) if workflow else rows
    titles = {
        id: title or name for id, name, title in rows.values_list("id", "name", "title")[:WORKFLOW_NAMES]
    }
    keys = keys_begun(principal.tenant_id, list(titles), begun, KEY_OFFERS)
    return [(key, titles[id]) for key, id in keys]


def _readable(principal: Principal, workflow: str) -> Workflow | None:
    return open_to(principal, READ).filter(name=workflow).first() if workflow else None


def _colleagues(tenant: int) -> list[tuple[str, str]]:
    users = [member.user for member in members_of(tenant).order_by("user__username")[:WORKFLOW_NAMES]]
    return [(user.get_username(), called(user)) for user in users]
