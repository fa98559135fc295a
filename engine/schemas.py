"""JSON Schemas of what the engine itself gives to expressions: the run, the error of a step, a timer, a round. Pure."""

from engine.catalogue import Json

ROUND_SCHEMA: Json = {"type": "integer", "title": "Number of rounds done"}
INDEX_SCHEMA: Json = {"type": "integer", "title": "Index of the item, from 0"}
ERROR_SCHEMA: Json = {
    "type": "object",
    "required": ["code", "message", "retryable"],
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "retryable": {"type": "boolean"},
        "details": {"type": "object"},
        "stack": {"type": "string"},
    },
}
FAILED_SCHEMA: Json = {"type": "object", "required": ["error"], "properties": {"error": ERROR_SCHEMA}}
TIMER_SCHEMA: Json = {
    "type": "object",
    "required": ["fired_at", "timer_of"],
    "properties": {"fired_at": {"type": "string"}, "timer_of": {"type": "string"}},
}
RUN_SCHEMA: Json = {
    "type": "object",
    "required": ["id", "workflow", "created_by", "tenant", "now"],
    "properties": {
        "id": {"type": "string", "title": "Id of the run"},
        "workflow": {"type": "string", "title": "Name of the workflow"},
        "business_key": {"type": ["string", "null"], "title": "Business key"},
        "created_by": {"type": "string", "title": "Who started it"},
        "tenant": {"type": "string", "title": "Tenant"},
        "now": {"type": "string", "title": "The current time"},
    },
}
