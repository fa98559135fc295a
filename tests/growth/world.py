"""What a whole function is given besides the text: somebody who asks, a workflow, a run, a task.

Found by types and names of parameters, so that a new function needs no example of its own.
"""

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any

from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpResponse, QueryDict
from django.test import RequestFactory
from django.utils.safestring import mark_safe

from accounts.access import PageRequest
from accounts.models import Membership, User
from accounts.principal import Principal
from accounts.services import create_group
from accounts.sessions import SessionStore
from engine.cel_reads import References
from runs.commands.targets import ItemPlace
from runs.kernel.graphs import compiled
from runs.kernel.unit_of_work import Change
from runs.models import Run
from runs.reading.presentation import found_run
from runs.reading.queries import runs_of
from tasks_inbox.actions.decision import Decision
from tasks_inbox.actions.locking import LockedTask
from tasks_inbox.eligibility.identity import who_is
from tasks_inbox.eligibility.policies import Absent
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.eligibility.votes import ended
from tasks_inbox.evidence.approves import Approves
from tasks_inbox.evidence.ledger import Decider
from tasks_inbox.evidence.readable import Part
from tasks_inbox.forms.form import form_of
from tasks_inbox.models import ManualTask, TaskDraft
from tasks_inbox.store.queries import Called
from tasks_inbox.web.panes import Place
from tests import factories as make
from tests.growth.documents import document, form, value
from tests.growth.walking import Surroundings, filler, text_of
from tests.inbox.asking import approval, asked, member
from workflows.document.changes import keyed
from workflows.trials.rewrite import TrialOptions
from workflows.web.pipelines import Pipeline

FORM = {
    "type": "object",
    "properties": {
        "who": {"type": "string"},
        "many": {"type": "array", "items": {"type": "string"}},
        "amount": {"type": "number"},
        "file": {"type": "string", "x-widget": "file"},
    },
}


class EveryField(QueryDict):
    """A query or a form in which each field that somebody asks for is there: as known, or this text."""

    def __init__(self, text: str, known: Mapping[str, str]) -> None:
        super().__init__(mutable=True)
        self._text, self._known = text, known
        self.setlist("a", [text])
        self.setlist(text[:200], [text, text])

    def copy(self) -> "EveryField":
        return EveryField(self._text, self._known)

    def __contains__(self, key: object) -> bool:
        return True

    def __getitem__(self, key: str) -> str:
        return self._known.get(key, self._text)

    def get(self, key: str, default: Any = None) -> Any:  # type: ignore[override]
        """As known, or the text."""
        return self[key]

    def getlist(self, key: str, default: Any = None) -> list[str]:  # type: ignore[override]
        """As known, or the text."""
        return [self[key]]


def _rows_of(who: Principal, run: Run) -> dict[str, object]:
    """Rows that functions get from a store or a view, by the names that they have there."""
    shown = found_run(who.tenant_id, run.pk)
    keyed_draft = keyed({"nodes": [{"id": "a", "type": "noop"}], "edges": []}, {})
    deciding = {"workflow": "w", "version": 1, "version_hash": "a", "tenant": "t", "requester": "ann"}
    return {
        "run": shown,
        "step": shown["steps"][0],
        "here": {"nodes": {}},
        "there": {"nodes": {}},
        "wait": {"kind": "signal", "name": "a"},
        "said": {},
        "row": {"candidates": {}, "outcomes": [], "outcome": "approved"},
        "node": {"id": "ask", "type": "human.approval"},
        "chain": {"seq": 1, "digest": "a", "at": "2031-01-01"},
        "run_facts": {**deciding, "on_behalf_of": None},
        "decision": {"outcome": "approved", "by": "bob", "until": "2031-01-01"},
        "edge": {"from": "ask", "to": "yes"},
        "pane": {"tasks": []},
        "before": keyed_draft,
        "after": keyed_draft,
        "one": keyed_draft,
        "other": keyed_draft,
        "facts": {"input": {}, "business_key": None},
        "database": {"OPTIONS": {}},
        "payload": {
            "workflow": "w",
            "input": {},
            "signal_id": None,
            "name": "a",
            "payload": {},
            "items": [],
            "if_exists": "return",
        },
        "values": {"members": []},
        "native": {"nodes": [], "edges": []},
        "evidence": {
            "questions": [],
            "history": [],
            "decisions": [],
            "seals": [],
            "chain": {"seq": 0, "digest": ""},
        },
    }


class World(Surroundings):
    """A tenant with a member, a run of a workflow that asks them, and its task."""

    def __init__(self) -> None:
        self.task = asked(approval(form=FORM))
        self.who: Principal = member("ann", "admin")
        self.run: Run = make.run(str(self.task.run_id))
        self.workflow = self.run.version.workflow
        self._rows = _rows_of(self.who, self.run)
        version = compiled(self.run.version_id)
        self._by_type: dict[str, object] = {
            "Principal": self.who,
            "ManualTask": self.task,
            "Run": self.run,
            "User": User.objects.get(username="ann"),
            "Tenant": make.a_tenant(),
            "Workflow": self.workflow,
            "Called": Called("w", "w", self.workflow.folder_id),
            "Membership": Membership.unsafe_all_tenants.get(user__username="ann"),
            "Who": who_is(self.who),
            "Standing": standing(self.who, self.task),
            "Decision": Decision("approved"),
            "LockedTask": LockedTask(self.task, {"on_behalf_of": None}, None),
            "Approves": Approves(version.graph),
            "Absent": Absent("bob", ("user:bob",), None),
            "Graph": version.graph,
            "Change": Change(),
            "TrialOptions": TrialOptions(),
            "Pipeline": Pipeline(title="A"),
            "QuerySet": runs_of(self.who.tenant_id),
            "UUID": self.task.pk,
            "HttpResponse": HttpResponse(),
            "SafeString": mark_safe('<p id="a">'),
            "Group": create_group(self.who, "Finance", []),
            "Form": form_of(None),
            "Place": Place(None, "", "", None, None),
            "TaskDraft": TaskDraft(data={}, comment=""),
            "Part": Part("A", [], []),
            "Decider": Decider("ann", "Ann", 1, "session", signed=False),
            "LastRun": None,
            "References": References(),
            "Compiled": version,
            "Tally": ended(self.task, "approved"),
            "ItemPlace": ItemPlace(str(self.run.pk), "ask", 0),
        }
        self._by_name = self._names()

    def _names(self) -> dict[str, object]:
        return {
            "tenant": self.who.tenant_id,
            "tenant_id": self.who.tenant_id,
            "run": str(self.run.pk),
            "run_id": str(self.run.pk),
            "job": str(self.task.step_id),
            "username": "ann",
            "node": "ask",
            "workflow": self.workflow.name,
            "name": self.workflow.name,
            "role": "viewer",
            "outcome": "approved",
            "action": "start",
            "view": "open",
            "version_id": self.run.version_id,
            "kind": "assigned",
            "decide": lambda *_: [],
            "cast": lambda: None,
            **self._rows,
        }

    def made(self, parameter: Parameter) -> Callable[[str], object] | None:
        """Of a text are made texts, documents, requests and tasks."""
        name, annotation = parameter.name, parameter.annotation
        if made := text_of(parameter):
            return made
        said = annotation.__name__ if isinstance(annotation, type) else str(annotation)
        if said.endswith("Request"):
            return lambda text: self.request("POST", text)
        makers: dict[str, Callable[[str], object]] = {
            "ManualTask": self.asked,
            "Standing": lambda text: standing(self.who, self.asked(text)),
            "Decision": lambda text: Decision("approved", value(text), text, text, text),
        }
        if said in makers:
            return makers[said]
        if annotation is Any or said.startswith(("dict[str", "collections.abc.Mapping[str", "dict")):
            return lambda text: self._known(name) | document(name, text)
        return None

    def _known(self, name: str) -> dict[str, object]:
        """What a document of this name has besides texts that are free."""
        known = self._rows.get(name, {})
        return dict(known) if isinstance(known, dict) else {}

    def asked(self, text: str) -> ManualTask:
        """The task, of which an author and people have written each text."""
        task = ManualTask.unsafe_all_tenants.get(pk=self.task.pk)
        task.title, task.instructions, task.comment = text, text, text
        task.facts, task.form, task.data = [{"label": text, "value": text}], form(text), value(text)
        return task

    def given(self, parameter: Parameter) -> object:
        """What stands for a parameter that isn't the text."""
        annotation = parameter.annotation
        said = annotation.__name__ if isinstance(annotation, type) else str(annotation)
        plain = said.partition("[")[0].rpartition(".")[2].partition(" |")[0]
        if plain.endswith("Request"):
            return self.request("GET", "a")
        if plain in self._by_type:
            return self._by_type[plain]
        if plain == "str" and isinstance(self._rows.get(parameter.name), dict):
            return {"run": str(self.run.pk), "node": "ask"}.get(parameter.name, "a")
        if parameter.name in self._by_name:
            return self._by_name[parameter.name]
        return filler(annotation)

    def request(self, method: str, text: str) -> PageRequest:
        """A request of the member, of which they have written every field and every header that is free."""
        head = {
            "If-Match": text,
            "If-None-Match": text,
            "HX-Target": text,
            "Accept": text,
            "Cookie": f"a={text}",
        }
        request: Any = RequestFactory(headers=head).generic(method, "/")
        request.user, request.principal = self._by_type["User"], self.who
        request.session, request._messages = SessionStore(), CookieStorage(request)
        known = {"revision": "1", "version": "1", "outcome": "approved", "view": "open", "cursor": ""}
        request.GET = request.POST = EveryField(text, known)
        return request
