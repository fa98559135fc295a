"""What the tests of the API say of the routes of dispatch."""

EXAMPLES = {("api-queue-items", "queue"): "work"}
