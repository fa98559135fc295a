"""Steps pass files of their run on: by mail, in a form over HTTP, as links of a job; never those of another run."""

import email
import email.policy
from hashlib import sha256

import pytest
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from runs.commands import job_reports, jobs
from runs.files import links
from steps import outside
from tests import factories as make
from tests.answering import answering, http
from tests.inbox.asking import member
from tests.runs.files.odd import ODD, PDF, SVG
from tests.runs.files.test_starts import archive, start, upload
from tests.runs.test_jobs import say
from tests.steps.test_email_send import mail_server

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "properties": {"receipt": {"type": "string", "format": "file"}, "id": {"type": "string"}},
}
KEPT = [name for name, odd in ODD.items() if not odd.code]


def flow(type, queue=None, **params):
    step = {"id": "a", "type": type, "params": params, **({"queue": queue} if queue else {})}
    return make.graph([step], [], input_schema=SCHEMA)


def mail(**params):
    return flow("email.send", to="ann@example.org", subject="Receipt", body="Here.", **params)


@pytest.fixture
def ann():
    return member("ann", "operator")


@pytest.fixture
def mails(monkeypatch):
    with mail_server() as server:
        monkeypatch.setenv(outside.SMTP_URL, f"smtp://127.0.0.1:{server.port}")
        monkeypatch.setenv(outside.MAIL_FROM, "handoff@example.org")
        yield server


def error_of(run_id):
    run = make.run(run_id)
    assert run.status == "FAILED"
    return make.steps(run_id)["a"].error


@pytest.mark.parametrize("name", KEPT)
def test_a_mail_carries_a_file_as_an_attachment(ann, mails, name):
    odd = ODD[name]
    file = upload(ann, odd.content, odd.name)
    (run_id,) = start(ann, {"receipt": file}, definition=mail(attachments="{{ input.receipt }}"))
    make.work("blocking")
    assert make.run(run_id).status == "COMPLETED"
    [(_, raw)] = mails.messages
    message = email.message_from_bytes(raw, policy=email.policy.default)
    (part,) = message.iter_attachments()
    assert (part.get_filename(), part.get_content_type()) == (odd.kept_name, odd.media_type)
    assert part.get_payload(decode=True) == odd.content


def test_an_optional_file_that_is_not_there_is_left_out_and_another_name_is_clean(ann, mails):
    attachments = [None, {"file": "{{ input.receipt }}", "filename": '../b"\u202e.pdf'}]
    start(ann, {"receipt": upload(ann)}, definition=mail(attachments=attachments))
    make.work("blocking")
    message = email.message_from_bytes(mails.messages[0][1], policy=email.policy.default)
    assert [part.get_filename() for part in message.iter_attachments()] == ["b.pdf"]


@pytest.mark.parametrize("other", ["none", "01a22b98-09ad-75bb-bcc8-e7d42a0984cd", "another run", "unused"])
def test_a_step_reads_no_file_of_another_run(ann, mails, other):
    file = upload(ann) if other in ("another run", "unused") else other
    if other == "another run":
        start(ann, {"receipt": file}, definition=mail())
    (run_id,) = start(ann, {"id": file}, definition=mail(attachments="{{ input.id }}"))
    make.work("blocking")
    error = error_of(run_id)
    assert (error["code"], error["details"]["field"]) == ("FileNotFound", "attachments[0]")


def test_attachments_have_a_limit_together(ann, mails, monkeypatch):
    monkeypatch.setattr("steps.email_send.MAIL_ATTACHMENT_BYTES", len(PDF))
    twice = ["{{ input.receipt }}", "{{ input.receipt }}"]
    (run_id,) = start(ann, {"receipt": upload(ann)}, definition=mail(attachments=twice))
    make.work("blocking")
    assert error_of(run_id)["code"] == "FilesTooLarge"


@pytest.mark.parametrize("name", KEPT)
def test_a_request_sends_a_form_with_a_file(ann, monkeypatch, name):
    odd = ODD[name]
    with answering(http(b"{}")) as server:
        monkeypatch.setenv(outside.ALLOW, f"127.0.0.1:{server.port}")
        parts = [{"name": 'a"b', "value": "{{ input.id }}"}, {"name": "file", "file": "{{ input.receipt }}"}]
        definition = flow("http.request", method="POST", url=server.url(), multipart=parts)
        file = upload(ann, odd.content, odd.name)
        (run_id,) = start(ann, {"receipt": file, "id": "x"}, definition=definition)
        make.work("blocking")
    assert make.run(run_id).status == "COMPLETED", make.steps(run_id)["a"].error
    (asked,) = server.asked
    head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
    text, sent = email.message_from_bytes(head + asked.body, policy=email.policy.HTTP).iter_parts()
    assert text.get_payload(decode=True) == b"x"
    assert sent.get_param("filename", header="content-disposition") == odd.kept_name
    assert (sent.get_content_type(), sent.get_payload(decode=True)) == (odd.media_type, odd.content)
    assert asked.headers["idempotency-key"] == f"{run_id}/a"


def test_a_body_of_parts_excludes_others():
    step = {
        "id": "a",
        "type": "http.request",
        "params": {"url": "http://x", "body": "", "multipart": [{"name": "a"}]},
    }
    (run_id,) = make.start(make.graph([step], []), {})
    make.work("blocking")
    assert error_of(run_id)["code"] == "BadParams"


@pytest.mark.parametrize("name", KEPT)
def test_a_job_names_its_files_with_links(ann, name, settings):
    odd = ODD[name]
    file = upload(ann, odd.content, odd.name)
    (run_id,) = start(ann, {"receipt": file, "id": upload(ann)}, definition=flow("job", queue="scan"))
    make.work()
    (job,) = jobs.poll(tenant=ann.tenant_id, worker="w", queues=["scan"], max_jobs=1)
    (told,) = job.files
    assert (told["id"], told["name"], told["sha256"]) == (
        file,
        odd.kept_name,
        sha256(odd.content).hexdigest(),
    )
    answer = Client().get(told["url"])
    assert (answer.status_code, answer.content) == (200, odd.content)
    assert answer["Content-Type"] == "application/octet-stream"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["Content-Disposition"].startswith("attachment")
    assert run_id == job.step.run_id


def test_a_link_is_for_one_file_and_an_hour(ann, monkeypatch):
    file, other = upload(ann), upload(ann, SVG)
    (run_id,) = start(ann, {"receipt": file}, definition=flow("job", queue="scan"))
    url = links.link(ann.tenant_id, run_id, file)
    assert APIClient().get(url).status_code == 200
    for bad in (
        url.replace(file, other),
        url[:-1],
        url.partition("?")[0],
        links.link(ann.tenant_id, run_id, other),
    ):
        assert Client().get(bad).status_code == 404
    assert Client().post(url).status_code == 405
    monkeypatch.setattr(links, "LINK_SECONDS", -1)
    assert Client().get(url).status_code == 404


def test_a_link_works_for_its_hour_when_the_run_was_cancelled_and_not_when_it_was_archived(ann):
    file = upload(ann)
    (run_id,) = start(ann, {"receipt": file}, definition=flow("job", queue="scan"))
    make.work()
    (job,) = jobs.poll(tenant=ann.tenant_id, worker="w", queues=["scan"], max_jobs=1)
    url = job.files[0]["url"]
    make.cancel(run_id)
    assert (make.run(run_id).status, Client().get(url).status_code) == ("CANCELLING", 200)
    say(job_reports.release, job)
    assert make.run(run_id).status == "CANCELLED"
    answer = Client().get(url)
    assert (answer.status_code, answer.content) == (200, PDF)
    with transaction.atomic():
        archive(run_id)
        answer = Client().get(url)
        assert (answer.status_code, answer["Content-Type"]) == (404, "text/plain; charset=utf-8")
        assert "its run is no longer kept" in answer.text
        transaction.set_rollback(True)


def test_jobs_within_a_map_have_files_too(ann):
    body = {"type": "job", "queue": "scan", "params": {"file": "{{ item }}"}}
    step = {"id": "a", "type": "map", "params": {"items": ["{{ input.receipt }}"], "body": body}}
    file = upload(ann)
    start(ann, {"receipt": file}, definition=make.graph([step], [], input_schema=SCHEMA))
    make.work()
    (job,) = jobs.poll(tenant=ann.tenant_id, worker="w", queues=["scan"], max_jobs=1)
    assert [one["id"] for one in job.files] == [file]
