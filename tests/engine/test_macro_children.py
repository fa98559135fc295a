"""The processes behind list macros: what they may do, and that none is lost, mixed up or left over."""

import json
import os
import platform
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import macros
from engine.confinement import MEMORY_BYTES
from engine.errors import ExpressionError, NotEvaluated
from engine.expressions import compile_expression
from engine.macro_child import MOST_REQUESTS
from engine.templates import compile_template

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PLUS_ONE = compile_expression("input.xs.map(x, x + 1)")


def works():
    return PLUS_ONE.evaluate({"input": {"xs": [1, 2]}}) == [2, 3]


def children():
    """The ids of the children of this process, both of which have started and answered."""
    assert works()
    assert works()
    return [slot.child.process.pid for slot in macros._current.slots]


def until_gone(pid):
    """Wait until a process has ended, whoever its parent is."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        assert poll.poll(20_000), f"process {pid} is still there"
    finally:
        os.close(handle)


def facts(pid, name):
    return Path(f"/proc/{pid}/{name}").read_text()


def limit(pid, name):
    line = next(line for line in facts(pid, "limits").splitlines() if line.startswith(name))
    return line.removeprefix(name).split()[:2]


def test_a_child_has_no_environment_two_pipes_and_little_of_anything():
    for pid in children():
        assert facts(pid, "environ") == ""
        assert sorted(os.listdir(f"/proc/{pid}/fd")) == ["0", "1"]
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        assert limit(pid, "Max address space") == [str(MEMORY_BYTES)] * 2
        assert int(limit(pid, "Max cpu time")[0]) <= 3
        for name in ("Max open files", "Max processes", "Max file size", "Max core file size"):
            assert limit(pid, name) == ["0", "0"]
        assert os.getpgid(pid) != os.getpgid(0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="filters are written for this machine")
def test_the_kernel_refuses_a_child_sockets_files_and_processes():
    assert all("Seccomp:\t2" in facts(pid, "status") for pid in children())
    tried = script(
        """
        import os, resource, signal, socket
        from engine.confinement import confine
        def refused(act):
            try:
                act()
            except OSError as exc:
                return type(exc).__name__
        parent = os.getppid()
        confine()
        acts = [socket.socket, lambda: open("/etc/hostname"), os.fork, lambda: os.kill(parent, 0),
                lambda: resource.prlimit(parent, resource.RLIMIT_CORE, (0, 0)), lambda: os.execv("/bin/true", ["x"])]
        os.write(1, json.dumps([refused(act) for act in acts]).encode())
        """
    )
    assert tried == ["PermissionError"] * 6


def test_a_child_that_was_killed_is_replaced():
    before = children()
    for pid in before:
        os.kill(pid, signal.SIGKILL)
        until_gone(pid)
    assert not set(before) & set(children())


def test_a_child_that_gets_no_processor_costs_the_expression_nothing():
    before = children()
    for pid in before:
        os.kill(pid, signal.SIGSTOP)
    assert not set(before) & set(children())
    for pid in before:
        until_gone(pid)


def test_a_child_serves_for_a_while_and_then_another_one_does():
    before = children()
    for _ in range(macros.CHILDREN * MOST_REQUESTS):
        assert works()
    assert not set(before) & set(children())
    for pid in before:
        until_gone(pid)


def test_children_go_on_after_an_error_and_in_a_process_that_is_larger_than_they_may_be():
    # Linux counts what a parent used as used by the programs that it starts.
    ballast = b"x" * (2 * MEMORY_BYTES)
    for pid in children():
        os.kill(pid, signal.SIGKILL)
        until_gone(pid)
    before = children()
    for _ in range(macros.CHILDREN):
        with pytest.raises(ExpressionError, match="divide by zero"):
            compile_expression("[1].map(x, x / 0)").evaluate({})
    assert children() == before
    assert len(ballast) > MEMORY_BYTES


def test_an_answer_that_nobody_waited_for_is_never_taken_for_another_ones(monkeypatch):
    children()

    def interrupted(child, patience_ms):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(macros._Child, "_receive", interrupted)
        for _ in range(macros.CHILDREN):
            with pytest.raises(KeyboardInterrupt):
                compile_expression("[7].map(x, x)").evaluate({})
    assert all(works() for _ in range(2 * macros.CHILDREN))


@pytest.mark.parametrize("python", ["/nowhere/python", "/bin/false"])
def test_where_no_child_can_be_started_the_expression_is_not_to_blame(python, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(macros, "_current", None)
        patch.setattr(sys, "executable", python)
        with pytest.raises(NotEvaluated, match="could not be evaluated now"):
            works()
        with pytest.raises(NotEvaluated, match=r"in a: .* could not be evaluated now"):
            compile_template({"a": "{{ [1].map(x, x) }}"}).render({})
        patch.undo()
    assert works()


FORKS = """
import json, os, sys
from engine import macros
from engine.expressions import compile_expression
expression = compile_expression("input.map(x, x + 1)")

def state():
    value = expression.evaluate({"input": [1]})
    return [os.getpid(), value, [slot.child.process.pid for slot in macros._current.slots]]

def tell(*facts):
    os.write(1, json.dumps(facts).encode() + b"\\n")

"""


def script(code):
    """What a Python program in a process of its own writes as JSON."""
    lines = code.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    program = "import json\n" + "\n".join(line[margin:] for line in lines)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""
    return json.loads(done.stdout)


def test_a_process_that_ends_takes_its_children_along():
    (_, value, pids), after = script(FORKS + "before = state()\ntell(before, state())\n")
    assert value == [2]
    assert after[2] == pids
    for pid in pids:
        until_gone(pid)


def test_a_fork_has_children_of_its_own_and_leaves_alone_those_of_its_parent():
    code = """
first = state()
if os.fork() == 0:
    tell("fork", state())
    os._exit(0)
os.wait()
tell("parent", first, state())
"""
    done = subprocess.run([sys.executable, "-c", FORKS + code], cwd=ROOT, capture_output=True, timeout=60)
    assert done.stderr == b""
    fork, parent = (json.loads(line) for line in done.stdout.splitlines())
    assert fork[0] == "fork"
    assert fork[1][1] == [2]
    assert parent[1] == parent[2]
    assert not set(fork[1][2]) & set(parent[1][2])
    for pid in fork[1][2] + parent[1][2]:
        until_gone(pid)


def test_children_end_with_a_parent_that_is_killed_even_while_a_fork_of_it_lives():
    code = """
first = state()
if os.fork() == 0:
    tell(first, state())
    sys.stdin.read()
    os._exit(0)
os.wait()
"""
    with subprocess.Popen(
        [sys.executable, "-c", FORKS + code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        (_, _, of_parent), (fork, _, of_fork) = json.loads(parent.stdout.readline())
        parent.kill()
        parent.wait()
        for pid in of_parent:
            until_gone(pid)
        assert all(Path(f"/proc/{pid}").exists() for pid in [fork, *of_fork])
        parent.stdin.close()
        for pid in [fork, *of_fork]:
            until_gone(pid)
