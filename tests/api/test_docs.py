"""docs/api.md knows every route, scope and role."""

import re
from pathlib import Path

from accounts.roles import SCOPES, TOKEN_ROLES
from tests.api.authorisation_matrix import MATRIX, PUBLIC

_DOCS = Path(__file__).resolve().parents[2] / "docs"
DOCS, ORCHESTRATION, S4 = (
    (_DOCS / name).read_text() for name in ("api.md", "orchestration-api.md", "rochallor-api.md")
)


def test_every_route_with_its_methods_is_in_the_docs():
    for name, route in MATRIX.items():
        if route.page or set(route.methods.values()) <= {PUBLIC}:
            continue
        path = route.pattern.removeprefix("/api").removeprefix("/v1")
        for method in route.methods:
            if name.startswith("v1-"):
                shown = path.replace("{run_id}", "{workflowId}").replace("/activities/fail", "/fail")
                shown = shown.replace("/activities/heartbeat", "/heartbeat")
                assert f"/v1{shown}`" in ORCHESTRATION or f"`{shown}` `" in ORCHESTRATION, (method, path)
            elif name.startswith("s4-"):
                shown = re.sub(r"{(name|run_id|job_id|task_id)}", "{id}", path).replace("{node}", "{stepId}")
                shown = shown.replace("{number}", "{version}")
                assert f"`{method} /v1{shown}`" in S4, (method, path)
            else:
                assert f"`{method} {path}`" in DOCS, (method, path)


def test_every_scope_and_role_is_in_the_docs():
    for word in SCOPES - {"tokens:manage"}:
        assert f"`{word}`" in DOCS
    for role in TOKEN_ROLES:
        assert re.search(rf"\b{role}\b", DOCS)
