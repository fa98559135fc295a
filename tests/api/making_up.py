"""Bodies that Hypothesis makes up: with fields that doors know, and of any kind."""

from functools import cache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
node_like = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", "a b", ""]) | json_values,
        "type": st.sampled_from(["noop", "transform", "no.such"]) | json_values,
        "params": st.dictionaries(st.sampled_from(["set", "x"]), json_values, max_size=2) | json_values,
        "retry": st.sampled_from(["minutes", "none"]) | json_values,
        "join": json_values,
        "queue": json_values,
        "priority": json_values,
    },
)
edge_like = st.fixed_dictionaries(
    {},
    optional={
        "from": st.sampled_from(["a", "b"]) | json_values,
        "to": st.sampled_from(["a", "b"]) | json_values,
        "when": st.sampled_from(["output.x > 1", "1 +", "[1].map(x, x)"]) | json_values,
        "on": json_values,
    },
)
definition_like = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["ours", "other"]) | json_values,
        "nodes": st.lists(node_like | json_values, max_size=3) | json_values,
        "edges": st.lists(edge_like | json_values, max_size=3) | json_values,
        "steps": st.lists(st.sampled_from(["noop", "x"]) | json_values, max_size=3) | json_values,
        "dag": json_values,
        "input_schema": json_values,
        "output": json_values,
        "metadata": json_values,
    },
)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["ours", "other", "a b"]) | json_values,
        "title": json_values,
        "definition": definition_like | json_values,
        "document": definition_like | json_values,
        "layout": json_values,
        "dialect": st.sampled_from(["native", "s0", "steps", "depends_on", "configuration", "s4"])
        | json_values,
        "note": json_values,
        "workflow": st.sampled_from(["ours", "none"]) | json_values,
        "version": st.sampled_from([1, 2]) | json_values,
        "business_key": json_values,
        "input": json_values,
        "items": st.lists(st.fixed_dictionaries({"input": json_values}) | json_values, max_size=3)
        | json_values,
        "sla_seconds": json_values,
        "priority": json_values,
        "if_exists": st.sampled_from(["return", "error", "new_if_ended"]) | json_values,
        "compensate": json_values,
        "action": st.sampled_from(["signal", "start"]) | json_values,
        "mapping": st.dictionaries(
            st.sampled_from(["business_key", "signal_name", "payload", "input", "x"]),
            st.sampled_from(["{{ body.a }}", "{{ body", "{{ input }}"]) | json_values,
            max_size=3,
        )
        | json_values,
        "allow_unsigned": json_values,
        "enabled": json_values,
        "overlap_seconds": json_values,
        "worker_id": st.just("w") | json_values,
        "queues": st.lists(st.sampled_from(["work", "default"]) | json_values, max_size=3) | json_values,
        "max_jobs": st.sampled_from([1, 100]) | json_values,
        "wait_seconds": st.just(0) | st.text() | st.booleans(),
        "lease_token": st.just("x") | json_values,
        "output": json_values,
        "error": st.fixed_dictionaries({"code": st.just("X"), "message": json_values}) | json_values,
        "retryable": json_values,
        "progress": json_values,
        "reason": json_values,
        "what": json_values,
    },
)


def tried(examples):
    """So many bodies, however long they take."""
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
        database=None,
    )


@cache
def made_up():
    """Bodies for every door. Hypothesis makes up the same ones for each, and takes longer to do so than they to be
    answered.
    """
    found = []

    @given(body=bodies | json_values)
    @tried(15)
    def keep(body):
        found.append(body)

    keep()
    return found
