"""People with tokens, and what they do over REST."""

import json
from typing import Any

from rest_framework.test import APIClient

from accounts.models import User
from accounts.services import create_token, set_password
from tests import factories as make
from tests.inbox.asking import member
from workflows.versions.examples import Example, examples

PASSWORD = "a long password"


def template(name: str) -> Example:
    """One of the examples."""
    return next(one for one in examples() if one.name == name)


class Person:
    """A member of the default tenant with a token, and groups if there are any."""

    def __init__(self, name: str, role: str = "approver", *groups: str) -> None:
        self.principal = member(name, role, *groups)
        user = User.objects.get(username=name)
        set_password(user, PASSWORD)
        self._client = APIClient()
        text = create_token(user=user, tenant=make.a_tenant())[1]
        self._client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")

    def get(self, path: str) -> Any:
        """What stands at a path below /api/v1/."""
        return self._client.get(f"/api/v1/{path}")

    def post(self, path: str, body: object = None) -> Any:
        """The answer to what is sent there."""
        return self._client.post(f"/api/v1/{path}", body or {}, format="json")

    def sends(self, path: str, body: object) -> Any:
        """As `post`, without saying what was read of a task."""
        return self._client.generic("POST", f"/api/v1/{path}", json.dumps(body), "application/json")

    def starts(self, name: str, **more: object) -> str:
        """Starts an example with its sample input; gives the run."""
        given = {**template(name).definition["metadata"]["sample_input"], **more}
        answer = self.post("runs", {"workflow": name, "input": given})
        assert answer.status_code == 201, answer.content
        make.work()
        return answer.json()["id"]

    def is_offered(self, run: str) -> list[str]:
        """The nodes whose open tasks they may decide."""
        return [task["node"] for task in self.tasks(run) if task["may_decide"]]

    def decides(self, run: str, outcome: str, **more: object) -> int:
        """Decides the run's open task; gives the status of the answer."""
        (task,) = self.tasks(run)
        status = self.post(f"tasks/{task['id']}/complete", {"outcome": outcome, **more}).status_code
        make.work()
        return status

    def tasks(self, run: str) -> list[dict[str, Any]]:
        """The run's open tasks."""
        found = self.get(f"tasks?run={run}").json()["results"]
        return [task for task in found if task["status"] == "OPEN"]

    def sees(self, run: str) -> dict[str, Any]:
        """The run."""
        return self.get(f"runs/{run}").json()
