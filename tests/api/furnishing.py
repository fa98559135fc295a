"""A tenant that has one of everything."""

from runs.models import Calendar
from tests import factories as make
from tests import of_features


def has_everything(client):
    """Gives the client's tenant one of everything that the matrix' addresses name; the ids in them."""
    failing = {"nodes": [{"id": "a", "type": "text.clean", "retry": "none"}]}
    client.post("/api/v1/workflows", {"name": "failing", "definition": {"name": "failing", **failing}})
    client.post("/api/v1/workflows/failing/publish")
    client.post("/api/v1/runs", {"workflow": "failing", "input": {}})
    make.work()
    (letter,) = client.get("/api/v1/dead-letters").json()["results"]
    asks = {"id": "b", "type": "human.approval", "params": {"title": "Go on?"}}
    each = {"id": "each", "type": "map", "params": {"items": [], "body": {"type": "noop"}}}
    job = {"nodes": [{"id": "a", "type": "job", "queue": "work"}, asks, each], "edges": []}
    client.post("/api/v1/workflows", {"name": "ours", "definition": job})
    assert client.post("/api/v1/workflows/ours/publish").status_code == 201
    run = client.post("/api/v1/runs", {"workflow": "ours", "input": {}})
    assert run.status_code == 201, run.json()
    make.work("engine")
    (task,) = client.get("/api/v1/tasks").json()["results"]
    assert client.put(f"/api/v1/tasks/{task['id']}/draft", {"comment": "Hm."}).status_code == 200
    files = f"/api/v1/tasks/{task['id']}/files?name=a.txt"
    file = client.generic("POST", files, b"text", content_type="text/plain")
    assert file.status_code == 201, file.json()
    upload = client.generic("POST", "/api/v1/files?name=a.txt", b"text", content_type="text/plain")
    assert upload.status_code == 201, upload.json()
    group = client.post("/api/v1/groups", {"name": "Finance"})
    folder = client.post("/api/v1/folders", {"name": "Empty", "grants": []})
    assert folder.status_code == 201, folder.json()
    dates = {"from": "2031-01-01T00:00:00Z", "until": "2031-02-01T00:00:00Z"}
    away = client.post("/api/v1/away", {"substitute": "operator-of-ours", **dates})
    assert away.status_code == 201, away.json()
    view = client.post("/api/v1/inbox-views", {"name": "ours"})
    assert view.status_code == 201, view.json()
    search = client.post("/api/v1/run-searches", {"name": "ours"})
    assert search.status_code == 201, search.json()
    case = client.post("/api/v1/workflows/ours/test-cases", {"name": "one", "input": {}})
    assert case.status_code == 201, case.json()
    comment = client.post("/api/v1/workflows/ours/comments", {"step": "a", "text": "Why?"})
    assert comment.status_code == 201, comment.json()
    token = client.post("/api/v1/tokens", {"name": "ours", "queues": ["*"]})
    assert token.status_code == 201, token.json()
    return (
        {
            "token": token.json()["id"],
            "case": case.json()["id"],
            "comment": comment.json()["id"],
            "run": run.json()["id"],
            "other": letter["run_id"],
            "job": run.json()["steps"][0]["id"],
            "letter": letter["id"],
            "task": task["id"],
            "file": file.json()["id"],
            "upload": upload.json()["id"],
            "away": away.json()["id"],
            "view": view.json()["id"],
            "search": search.json()["id"],
            "group": group.json()["id"],
            "folder": folder.json()["id"],
        }
        | _calendar(client)
        | _of_features(client)
    )


def _of_features(client):
    """The ids of what features have, each by the module `furnishing` of its tests."""
    ids = {}
    for module in of_features.modules("furnishing"):
        ids |= module.furnish(client)
    return ids


def _calendar(client):
    """The id of a working calendar."""
    calendar = client.post("/api/v1/calendars", {"name": "ours", "folder": "General"})
    assert calendar.status_code == 201, calendar.json()
    return {"calendar": Calendar.unsafe_all_tenants.get(name="ours").pk}
