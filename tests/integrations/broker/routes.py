"""What lists of tests of the API have of the routes of a broker (`tests/api/verbs.py`, `audited.py`)."""

from tests.api.playing import Settled, form

NOT_RECORDED = {
    "starts or operates runs, which have a history": "api-dispatch-retry operations-dispatch-retry",
}
SETTLED = {
    ("api-dispatch-retry", "POST"): (Settled(),),
    ("operations-dispatch-retry", "POST"): (form(),),
}
NO_DOORS = {
    "is about what asks operators": "api-dispatch-retry operations-dispatch-retry",
}
