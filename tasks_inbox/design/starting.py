"""What starting a run asks: whether those whom its steps will ask can decide, as far as its input says who they are.

Where all, or a share, of those named must agree, who can't is refused at once: their agreement would never come.
That nobody at all can decide a step is a warning: members may be added before the run comes to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from pydantic import ValidationError

from engine.catalogue import Json
from engine.errors import EngineError
from engine.step_titles import step_title
from engine.templates import Template, compile_template
from runs.commands.starts import Judged, NewRun, Terms
from runs.kernel.graphs import Compiled, compiled
from runs.kernel.refused import RunRefused
from steps.catalogue import CATALOGUE
from steps.human import who_decides
from tasks_inbox.design.deciders import asking_steps
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import Member, members_of, named_by, unable
from tasks_inbox.eligibility.quorum import counts_people
from tasks_inbox.lifecycle.waits import whom, with_manager
from tasks_inbox.limits import NAMED_PEOPLE
from workflows.models import Workflow, WorkflowVersion

KNOWN = frozenset({"input", "run"})
"""What is known of a run as it starts."""
PARAMS = ("candidates", "quorum", "exclude", "exclude_requester", "on_timeout")


@dataclass(frozen=True, slots=True)
class _HumanStep:
    """A step that asks people whom its run's input names, or its definition."""

    title: str
    is_form: bool
    template: Template


def judge_starts(terms: Terms, items: Sequence[NewRun]) -> list[Judged]:
    """Of each run that is to start the warnings; it is refused, by name, where who must agree can't decide.

    What a rerun keeps is decided already: it is not judged.
    """
    steps = _human_steps(terms.tenant, terms.version)
    if not steps:
        return [Judged() for _ in items]
    version, members = compiled(terms.version), members_of(terms.tenant)
    judgements = []
    for place, item in enumerate(items):
        where = f"items[{place}].input" if len(items) > 1 else "input"
        try:
            warnings = () if item.rerun_of else tuple(_warnings(terms, version, members, steps, item, where))
            judgements.append(Judged(warnings))
        except RunRefused as refusal:
            judgements.append(Judged(refused=refusal))
    return judgements


@lru_cache(maxsize=2000)
def _human_steps(tenant: int, version: int) -> tuple[_HumanStep, ...]:
    """The steps of a version that ask people who can be known at the start."""
    versions = WorkflowVersion.objects.for_tenant(tenant)
    definition = versions.values_list("definition", flat=True).get(pk=version)
    steps = []
    for activity in asking_steps(definition):
        step, params = activity.step, activity.step.get("params") or {}
        template = compile_template({name: params[name] for name in PARAMS if name in params})
        if not template.refs.steps and not template.refs.every_step and template.refs.names <= KNOWN:
            steps.append(
                _HumanStep(step_title(step, CATALOGUE), CATALOGUE[step["type"]].starter_decides, template)
            )
    return tuple(steps)


def _warnings(
    terms: Terms,
    version: Compiled,
    members: Sequence[Member],
    steps: Sequence[_HumanStep],
    item: NewRun,
    where: str,
) -> Iterator[str]:
    run = {"created_by": terms.by, "workflow": version.workflow, "tenant": version.tenant_slug}
    scope = {"input": item.input, "run": run | {"business_key": item.business_key}}
    for step in steps:
        try:
            params = step.template.render(scope)
            candidates, quorum = who_decides(params)
        except (EngineError, ValidationError):
            # The step says so itself when the run comes to it.
            continue
        candidates = with_manager(terms.tenant, candidates)
        excluded_keys = _barred(params, terms.by)
        if counts_people(quorum):
            missing = unable(
                named_by(terms.tenant, candidates, excluded_keys, partial(_folder_of, terms)), members
            )
            if missing:
                raise RunRefused("cannot_decide", _refusal(step, missing), field=where)
        if not _may_decide(terms, members, step, candidates, excluded_keys):
            audience = whom(candidates, "everybody who may decide")
            yield (
                f"“{step.title}” asks {audience}, none of whom may decide it: "
                "the run will wait there until an operator assigns it."
            )


def _barred(params: Mapping[str, Json], by: str) -> list[str]:
    return policies.excluded(
        [*(params.get("exclude") or ()), *([by] if params.get("exclude_requester") else ())]
    )


def _may_decide(
    terms: Terms,
    members: Sequence[Member],
    step: _HumanStep,
    candidates: Mapping[str, Json],
    excluded_keys: Sequence[str],
) -> bool:
    audience = set(policies.audience_of(candidates))
    own = step.is_form and policies.names_user(audience, terms.by)
    free = [one for one in members if one.elector.key not in excluded_keys]
    # Of the folder it is asked only where not everybody knows without it.
    if own or any(one.answers(audience, None) for one in free):
        return True
    folder = _folder_of(terms)
    return any(one.answers(audience, folder) for one in free)


def _folder_of(terms: Terms) -> int | None:
    """The folder of the workflow of which runs are to start."""
    rows = Workflow.objects.for_tenant(terms.tenant).filter(versions=terms.version)
    return rows.values_list("folder_id", flat=True).first()


def _refusal(step: _HumanStep, missing: Sequence[str]) -> str:
    names = ", ".join(missing[:NAMED_PEOPLE]) + (" and others" if len(missing) > NAMED_PEOPLE else "")
    return (
        f"“{step.title}” needs all, or a share, of those whom it asks to agree, and these can't decide: {names}. "
        "Name members whose role decides tasks."
    )
