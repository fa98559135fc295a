"""The routes of API tokens."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import tokens
from accounts.api import token_serializers as s
from accounts.api.base import ApiView
from accounts.roles import TOKENS_OWN
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query


class TokensView(ApiView):
    """Tokens."""

    scopes = {"GET": TOKENS_OWN, "POST": TOKENS_OWN}

    @extend_schema(parameters=[s.TokenListQuery], responses=page_schema(s.TokenSerializer))
    def get(self, request: Request) -> Response:
        """Your tokens, with `tokens:manage` all of the tenant, newest first."""
        params = query(s.TokenListQuery, request)
        rows = tokens.visible(
            self.principal, user=params.pop("user", ""), revoked=params.pop("revoked", "false") == "true"
        )
        page = keyset_page(rows, request, keys=("id",), **params)
        return Response(page.answer(tokens.rows(page.rows)))

    @extend_schema(request=s.CreateToken, responses={201: s.NewTokenSerializer})
    def post(self, request: Request) -> Response:
        """Makes a token that acts for you: 201 with its text, which is shown only here."""
        token, text = tokens.make(self.principal, **body(s.CreateToken, request))
        headers = {"Location": f"/api/v1/tokens/{token.public_id}", "Cache-Control": "no-store"}
        return Response(tokens.rows([token])[0] | {"token": text}, status=201, headers=headers)


class TokenView(ApiView):
    """One token."""

    scopes = {"GET": TOKENS_OWN, "PATCH": TOKENS_OWN, "DELETE": TOKENS_OWN}

    @extend_schema(responses=s.TokenSerializer)
    def get(self, request: Request, token_id: str) -> Response:
        """The token, a revoked one, too; never its text."""
        return Response(tokens.rows([tokens.find(self.principal, token_id)])[0])

    @extend_schema(request=s.ChangeToken, responses=s.TokenSerializer)
    def patch(self, request: Request, token_id: str) -> Response:
        """Limits it to other queues and folders, never to more than you may reach yourself."""
        token = tokens.change(self.principal, token_id, **body(s.ChangeToken, request))
        return Response(tokens.rows([token])[0])

    @extend_schema(request=Verb, responses={204: None})
    def delete(self, request: Request, token_id: str) -> Response:
        """Revokes it, at once and for good, with those created with it; repeating it changes nothing."""
        tokens.revoke(self.principal, token_id, reason=body(Verb, request).get("reason"))
        return Response(status=204)


class TokenRevokeView(ApiView):
    """Revoking."""

    scopes = {"POST": TOKENS_OWN}

    @extend_schema(request=Verb, responses=s.TokenSerializer)
    def post(self, request: Request, token_id: str) -> Response:
        """Like DELETE, and returns the token."""
        tokens.revoke(self.principal, token_id, reason=body(Verb, request).get("reason"))
        return Response(tokens.rows([tokens.find(self.principal, token_id)])[0])


class TokenRotateView(ApiView):
    """Rotating."""

    scopes = {"POST": TOKENS_OWN}

    @extend_schema(request=s.RotateToken, responses={201: s.NewTokenSerializer})
    def post(self, request: Request, token_id: str) -> Response:
        """Replaces one of your tokens by another with its name, role, scopes and lifetime: 201 with its text."""
        token, text = tokens.rotate(self.principal, token_id, **body(s.RotateToken, request))
        headers = {"Location": f"/api/v1/tokens/{token.public_id}", "Cache-Control": "no-store"}
        return Response(tokens.rows([token])[0] | {"token": text}, status=201, headers=headers)
