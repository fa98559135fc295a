"""The routes of test cases."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import PageQuery, Verb, body, query
from workflows.api import case_serializers as c
from workflows.trials import cases


class CasesView(ApiView):
    """Test cases."""

    scopes = {"GET": WORKFLOWS_READ, "POST": WORKFLOWS_WRITE}

    @extend_schema(parameters=[PageQuery], responses=page_schema(c.CaseSerializer))
    def get(self, request: Request, name: str) -> Response:
        """The test cases of a workflow, newest first."""
        params = query(PageQuery, request)
        rows = cases.list_cases(self.principal.tenant_id, name)
        page = keyset_page(rows, request, keys=("id",), limit=params["limit"], cursor=params.get("cursor"))
        return Response(page.answer(c.CaseSerializer(page.rows, many=True).data))

    @extend_schema(request=c.CreateCase, responses={201: c.CaseSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Makes a test case; 409 if its name is taken."""
        payload = body(c.CreateCase, request)
        case = cases.create_case(self.principal, name, case_name=payload.pop("name"), **payload)
        headers = {"Location": f"/api/v1/workflows/{name}/test-cases/{case.pk}"}
        return Response(c.CaseSerializer(case).data, status=201, headers=headers)


class CaseView(ApiView):
    """One test case."""

    scopes = {"GET": WORKFLOWS_READ, "PATCH": WORKFLOWS_WRITE, "DELETE": WORKFLOWS_WRITE}

    @extend_schema(responses=c.CaseSerializer)
    def get(self, request: Request, name: str, case_id: int) -> Response:
        """The test case."""
        return Response(c.CaseSerializer(cases.get_case(self.principal.tenant_id, name, case_id)).data)

    @extend_schema(request=c.ChangeCase, responses=c.CaseSerializer)
    def patch(self, request: Request, name: str, case_id: int) -> Response:
        """Changes the given fields; 412 if it is no longer at `revision`."""
        case = cases.change_case(self.principal, name, case_id, **body(c.ChangeCase, request))
        return Response(c.CaseSerializer(case).data)

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, name: str, case_id: int) -> Response:
        """Deletes the test case."""
        cases.delete_case(self.principal, name, case_id, **body(Verb, request))
        return Response(status=204)


class RunCasesView(ApiView):
    """Running test cases."""

    scopes = {"POST": WORKFLOWS_READ}
    takes_idempotency_key = False

    @extend_schema(request=c.RunCases, responses=c.ResultsSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Runs test cases in memory, with the draft or another definition; nothing outside is called."""
        payload = body(c.RunCases, request)
        payload.pop("reason", None)
        results = cases.run_saved(self.principal, name, **payload)
        return Response({"results": [result.as_dict() for result in results]})
