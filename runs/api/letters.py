"""The routes of dead letters."""

from collections.abc import Callable, Mapping
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import DEAD_LETTERS_READ, RUNS_OPERATE
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from lib.refusals import Missing
from runs.access import readable_letters
from runs.api import serializers as s
from runs.api.base import RunsApiView
from runs.commands import dead_letters
from runs.commands.dead_letters import Redriven
from runs.models import DeadLetter
from runs.ports import BULK_RECORDS, BulkResult, record_bulk
from runs.reading import letters, queries
from runs.reading.dead_letters import dead_letter_row

NO_LETTER = "There is no such dead letter."


class DeadLettersView(RunsApiView):
    """Dead letters."""

    scopes = {"GET": DEAD_LETTERS_READ}

    @extend_schema(parameters=[s.DeadLetterQuery], responses=page_schema(s.DeadLetterSerializer))
    def get(self, request: Request) -> Response:
        """The steps that failed their run for good, newest first."""
        params = query(s.DeadLetterQuery, request)
        rows = readable_letters(queries.dead_letters_of(self.principal.tenant_id), self.principal)
        if resolution := params.pop("resolution", None):
            rows = rows.filter(resolution__isnull=resolution == "open")
        if run := params.pop("run_id", None):
            rows = rows.filter(run_id=run)
        names = [name for name in ("query", "q", "filter") if name in params]
        if text := " ".join(params.pop(name) for name in names):
            rows = letters.found(self.principal.tenant_id, rows, text, names[0])
        page = keyset_page(rows, request, keys=("id",), **params)
        return Response(page.answer([dead_letter_row(letter) for letter in page.rows]))


class _OneLetterView(RunsApiView):
    scopes = {"POST": RUNS_OPERATE}

    def find(self, letter_id: UUID) -> DeadLetter:
        """The tenant's letter. Raises Missing."""
        letter = queries.dead_letters_of(self.principal.tenant_id).filter(pk=letter_id).first()
        if letter is None:
            raise Missing(NO_LETTER)
        return letter


class DeadLetterRedriveView(_OneLetterView):
    """Redriving one."""

    @extend_schema(request=Verb, responses={202: s.DeadLetterSerializer})
    def post(self, request: Request, letter_id: UUID) -> Response:
        """Lets its run go on: the failed step runs again; 409 if it can't."""
        reason = body(Verb, request).get("reason", "")
        letter = self.find(letter_id)
        for refusal in dead_letters.redrive(self.principal, [letter], reason=reason).refused.values():
            raise refusal
        return Response(dead_letter_row(self.find(letter_id)), status=202)


class DeadLetterDiscardView(_OneLetterView):
    """Discarding one."""

    @extend_schema(request=Verb, responses=s.DeadLetterSerializer)
    def post(self, request: Request, letter_id: UUID) -> Response:
        """Says that somebody has dealt with it; its run stays as it is, and can still be resumed.

        If the step waits for an operator (`on_error: ask`), this fails the run.
        """
        reason = body(Verb, request).get("reason", "")
        dead_letters.discard(self.principal, [self.find(letter_id)], reason=reason)
        return Response(dead_letter_row(self.find(letter_id)))


class _ManyLettersView(RunsApiView):
    scopes = {"POST": RUNS_OPERATE}

    def _acted(
        self, payload: Mapping[str, Json], act: Callable[..., Redriven], verb: str, name: str
    ) -> dict[str, Json]:
        """Do it with the letters that the body names; gives the answer, with what was done below `name`. More than are
        done at once become a bulk job.
        """
        filters, reason = payload.get("filter", {}), payload.get("reason", "")
        matches = dead_letters.matching(self.principal, ids=payload.get("ids"), **filters)
        if matches.left and (records := BULK_RECORDS.first):
            job, left = records.begin_letters(self.principal, verb, filters=filters, reason=reason)
            return {name: [], "refused": [], "left": left, "bulk_job": str(job)}
        outcome = act(self.principal, matches.letters, reason=reason)
        results = [_result(letter, outcome) for letter in matches.letters]
        recorded = record_bulk(self.principal, verb, results, reason=reason)
        refusals = [
            {"id": letter, "code": why.code, "message": why.message}
            for letter, why in outcome.refused.items()
        ]
        refusals += [
            {"id": str(letter), "code": Missing.code, "message": NO_LETTER} for letter in matches.unknown
        ]
        answer = {name: outcome.done, "refused": refusals, "left": matches.left}
        return answer | {"bulk_job": recorded and str(recorded)}


def _result(letter: DeadLetter, outcome: Redriven) -> BulkResult:
    why = outcome.refused.get(str(letter.pk))
    if why is None:
        return BulkResult(letter.run_id, letter.pk, "done")
    return BulkResult(letter.run_id, letter.pk, "refused", why.code, why.message)


class DeadLettersRedriveView(_ManyLettersView):
    """Redriving many."""

    @extend_schema(request=s.ManyLetters, responses={202: s.RedrivenSerializer})
    def post(self, request: Request) -> Response:
        """Redrives many: those named by `ids`, or all open ones that match `filter`.

        The results are those of `bulk_job`, which does more than 1,000 in the background.
        """
        payload = body(s.ManyLetters, request)
        return Response(self._acted(payload, dead_letters.redrive, "retry", "redriven"), status=202)


class DeadLettersDiscardView(_ManyLettersView):
    """Discarding many."""

    @extend_schema(request=s.DiscardLetters, responses=s.DiscardedLettersSerializer)
    def post(self, request: Request) -> Response:
        """Discards many: those named by `ids`, or all open ones that match `filter`.

        The results are those of `bulk_job`, which does more than 1,000 in the background.
        """
        payload = body(s.DiscardLetters, request)
        return Response(self._acted(payload, dead_letters.discard_each, "discard", "discarded"))
