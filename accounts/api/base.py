"""The base of every view of the API."""

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from typing import Any, ClassVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import idempotency
from accounts.api.permissions import RequiresScope
from accounts.idempotency import HEADER, REPLAYED, Answer
from accounts.principal import Principal

_KEPT_HEADERS = ("Content-Type", "ETag", "Location")


class ApiView(APIView):
    """A view whose methods each name the scope that they need in `scopes`."""

    permission_classes = (RequiresScope,)
    scopes: ClassVar[Mapping[str, str]] = {}
    takes_idempotency_key: ClassVar[bool] = True
    """Whether a POST with the header `Idempotency-Key` is done once; False where it changes nothing anyway."""
    is_slow: ClassVar[bool] = False
    """Whether a POST waits for something outside of the database, longer than a transaction may idle."""

    @property
    def principal(self) -> Principal:
        """Who is asking."""
        principal = self.request.auth
        assert isinstance(principal, Principal)  # noqa: S101 - RequiresScope let nobody else in
        return principal

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        is_keyed = request.method == "POST" and self.takes_idempotency_key and HEADER in request.headers
        # Before the CSRF token of a session is looked for, which parses the body: then its bytes are gone.
        body = request.body if is_keyed else b""
        super().initial(request, *args, **kwargs)
        if is_keyed:
            # Who asks, and whether they may, is asked anew each time: only what the method does is done once.
            vars(self)["post"] = partial(
                self._once, getattr(self, "post", self.http_method_not_allowed), body
            )

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        answer = super().finalize_response(request, response, *args, **kwargs)
        is_read = request.method == "GET" and answer.status_code == 200
        # Files are answered by Django's own responses.
        if is_read and "ETag" not in answer.headers and hasattr(answer, "add_post_render_callback"):
            answer.add_post_render_callback(partial(_unless_known, request))
        return answer

    def _once(
        self, post: Callable[..., Response], body: bytes, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        where, key = request.get_full_path(), request.headers[HEADER]
        call = idempotency.keyed_call(self.principal, key, where, body, is_slow=self.is_slow)
        with idempotency.once(call) as doing:
            if doing.kept is not None:
                headers = {**doing.kept.headers, REPLAYED: "true"}
                return HttpResponse(doing.kept.body, status=doing.kept.status, headers=headers)
            try:
                answer = post(request, *args, **kwargs)
            except Exception as error:
                answer = self.handle_exception(error)
            doing.answer = self._as_sent(request, answer)
        return answer

    def _as_sent(self, request: Request, answer: Response) -> Answer:
        self.finalize_response(request, answer).render()
        headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        return Answer(answer.status_code, headers, answer.content)


def _unless_known(request: Request, answer: Response) -> HttpResponseBase | None:
    """The answer with an ETag of what it says, or 304 for who sends that one as `If-None-Match`."""
    tag = f'W/"{blake2b(answer.content, digest_size=12).hexdigest()}"'
    answer.headers["ETag"] = tag
    return get_conditional_response(request, etag=tag, response=answer)
