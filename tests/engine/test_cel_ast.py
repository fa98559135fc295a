"""The decoder of CEL's wire format (docs/security.md, "Expression language")."""

import pytest

from engine.cel_ast import Call, Const, Ident, Loop, Select, parse_serialized, walk
from engine.expressions import compile_expression


def test_the_decoder_reads_every_kind_of_node():
    source = 'input.a["k-1"] == -7 && has(input.b) || "ü" in ["x", string(1.5)] || {"m": true}[b"z" == b"z" ? "m" : "n"]'  # noqa: E501
    constants = {repr(node.value) for node in walk(compile_tree(source)) if isinstance(node, Const)}
    assert {"'k-1'", "-7", "'ü'", "1.5", "True", "b'z'"} <= constants
    selects = {(n.field, n.test_only) for n in walk(compile_tree(source)) if isinstance(n, Select)}
    assert selects == {("a", False), ("b", True)}
    assert {"_==_", "@in", "string", "_[_]", "_?_:_"} <= {
        n.function for n in walk(compile_tree(source)) if isinstance(n, Call)
    }
    assert {n.name for n in walk(compile_tree(source)) if isinstance(n, Ident)} == {"input"}


def test_the_decoder_reads_list_macros():
    tree = compile_tree(
        "input.rows.filter(row, row.n > 1).map(item, item.n + steps[item.id].x).exists(x, x == 2)"
    )
    loops = [node for node in walk(tree) if isinstance(node, Loop)]
    assert [loop.names[0] for loop in loops] == ["x", "item", "row"]
    assert {loop.accumulator for loop in loops} == {"@result"}
    assert {"_>_", "_+_", "_[_]", "_==_"} <= {node.function for node in walk(tree) if isinstance(node, Call)}


def test_the_decoder_refuses_what_is_no_expression():
    with pytest.raises(ValueError, match="not a CEL expression"):
        parse_serialized(b"\n\x03abc\x12\x00")


def compile_tree(source):
    return parse_serialized(compile_expression(source)._program.serialize())
