"""What lists of tests of the API have of the routes of schedules (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import ON, Settled, form

RECORDED = {
    "schedule.create": "api-schedules schedule-new",
    "schedule.change": "api-schedule:PATCH schedule-edit schedule-switch",
    "schedule.delete": "api-schedule:DELETE schedule-delete",
}
NOT_RECORDED = {
    "starts or operates runs, which have a history": "api-schedule-run schedule-run",
    "answers a question": "schedule-preview",
}
SENT = {
    ("api-schedules", "POST"): {"name": "two", "workflow": "ours", "cron": "0 9 * * *"},
}
UNPLAYED = "schedule-new schedule-edit"
SETTLED = {
    ("api-schedule", "PATCH"): (ON, Settled({"enabled": False}, (("api-schedule", {"enabled": True}),))),
    ("schedule-switch", "POST"): (
        form(on="1"),
        Settled({}, (("api-schedule", {"enabled": True}),), form=True),
    ),
    ("schedule-delete", "POST"): (form(),),
}
ANEW = "api-schedules schedule-new api-schedule-run schedule-run"
ASKED = "schedule-preview"
ELSEWHERE = "schedule-edit"
NO_DOORS = {
    "begins a run, which asks": (
        "api-schedules api-schedule api-schedule-run schedule-new schedule-preview schedule-edit "
        "schedule-switch schedule-run schedule-delete"
    ),
}
