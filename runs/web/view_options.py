"""How somebody looks at a run: which view of it, at which step, as it was at which event; kept in the address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse

from accounts.access import PageRequest
from accounts.roles import WORKFLOWS_WRITE
from engine.catalogue import Json
from engine.statuses import StepStatus

GRAPH, TIMELINE, STORY = VIEWS = ("graph", "timeline", "story")
TITLES: Mapping[str, str] = {GRAPH: "Graph", TIMELINE: "Timeline", STORY: "Story"}
COOKIE = "run_view"
UNFOLDED = 12
"""A run with up to so many steps is shown with all of them open until one is selected."""
_A_YEAR = 365 * 86_400
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Look:
    """What the address of a run's page asks for; `step`: the node that is selected, `at`: how many of the run's events
    have happened, None for all that have until now. `is_chosen`: the address names the view.
    """

    view: str
    step: str | None = None
    at: int | None = None
    is_chosen: bool = False

    def address(self, **other: str | int | None) -> str:
        """The query that asks for this, but for what is given."""
        parameters = {"view": self.view, "step": self.step, "at": self.at} | other
        return "?" + urlencode({name: value for name, value in parameters.items() if value is not None})

    @property
    def to_step(self) -> str:
        """The query without a step; `&step=` and a node may follow."""
        return self.address(step=None)

    @property
    def to_event(self) -> str:
        """The query of the run as it is now; `&at=` and a number may follow."""
        return self.address(at=None)


def look_of(request: PageRequest) -> Look:
    """How they look at a run: as the address says, else as they did last; who builds nothing reads the story first."""
    address_view = request.GET.get("view", "")
    cookie_view = request.COOKIES.get(COOKIE, "").removeprefix(f"{request.user.pk}.")
    builds = WORKFLOWS_WRITE in request.principal.scopes
    view = next((view for view in (address_view, cookie_view) if view in VIEWS), GRAPH if builds else STORY)
    step = request.GET.get("step", "").replace("\x00", "") or None
    return Look(view, step, number_of(request.GET.get("at", "")), is_chosen=address_view in VIEWS)


def number_of(text: str) -> int | None:
    """The number that a text is; None where it is none, or none that an event could have."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return int(text) if is_number else None


def remember(request: PageRequest, response: HttpResponse, look: Look) -> HttpResponse:
    """Keeps which view they chose, in a cookie that is of no use to anybody else who logs in there."""
    value = f"{request.user.pk}.{look.view}"
    if look.is_chosen and request.COOKIES.get(COOKIE) != value:
        secure = request.is_secure()
        response.set_cookie(COOKIE, value, max_age=_A_YEAR, samesite="Lax", httponly=True, secure=secure)
    return response


def inspected(steps: Sequence[Mapping[str, Json]], look: Look) -> Mapping[str, Json] | None:
    """The step that is looked at: the one that is selected; of a run whose steps are not all shown open the first that
    failed, else the first at work.
    """
    if look.step is not None:
        return next((step for step in steps if step["node"] == look.step), None)
    if len(steps) <= UNFOLDED:
        return None
    for statuses in ({StepStatus.FAILED}, {StepStatus.RUNNING, StepStatus.WAITING}):
        first = next((step for step in steps if step["status"] in statuses), None)
        if first is not None:
            return first
    return None
