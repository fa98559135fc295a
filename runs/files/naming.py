"""The fields of a start form that hold files: their names and links, and files that come with a form."""

from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.urls import reverse

from accounts.principal import Principal
from lib.forms.fields import Form
from lib.json import Json
from lib.refusals import Refusal
from runs.files import claims, trees, uploads
from runs.files.limits import FILE_BYTES


def name_files(principal: Principal, form: Form | None, run_id: UUID | str | None = None) -> None:
    """Say of fields with files what these are called and what is wrong; what can't be used any more is empty again.

    `run_id`: the run whose files may be used once more.
    """
    fields = [one for one in form.each() if one.kind == "file" and one.text] if form else []
    if not fields:
        return
    ids = [one.text for one in fields if trees.is_id(one.text)]
    rows = uploads.unused(principal, ids)
    urls = {id_: reverse("api-file-content", args=[id_]) for id_ in rows}
    if run_id is not None:
        of_run = trees.files_of_run(principal.tenant_id, run_id, ids)
        urls |= {id_: reverse("api-run-file", args=[run_id, id_]) for id_ in of_run}
        rows |= of_run
    claims.name_fields(iter(fields), rows, urls)


def take_uploads(request: HttpRequest, principal: Principal, root: str) -> list[dict[str, Json]]:
    """Keep the files of a form's fields below `root` and put their ids where its text fields are.

    Gives what is wrong with those that are refused, each at its field.
    """
    faults: list[dict[str, Json]] = []
    taken: dict[str, str] = {}
    for name, posted in request.FILES.items():
        if not name.startswith(f"{root}.") or not isinstance(posted, UploadedFile):
            continue
        try:
            content = posted.read(FILE_BYTES + 1)
            taken[name] = uploads.upload(principal, name=posted.name or "", content=content, field=name)["id"]
        except Refusal as error:
            faults.append({"field": name, "message": error.message})
    if taken:
        post = request.POST.copy()
        for name, file in taken.items():
            post[name] = file
        request.POST = post  # type: ignore[assignment]
    return faults
