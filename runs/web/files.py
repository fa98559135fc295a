"""The door of links to files, which workers get with their jobs."""

from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from runs.files import links, trees
from runs.files.sending import sent


@login_not_required
@require_GET
def file_link(request: HttpRequest, file_id: UUID) -> HttpResponse:
    """A file of a run as a download, for whoever has its link; the link works for an hour."""
    claim = links.linked(str(file_id), request.GET.get("token", ""))
    rows = claim and trees.files_of_run(claim.tenant, claim.run_id, [claim.file_id])
    content = trees.content_of(claim.tenant, claim.file_id) if claim and rows else None
    if not claim or not rows or content is None:
        raise Http404
    return sent(rows[claim.file_id], content, is_shown=False)
