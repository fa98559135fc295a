"""Steps of an installed package that never come back: one asleep, one that holds the interpreter, one that dies."""

from pathlib import Path

_MODULE = """
import ctypes, os, signal, time
from steps.base import StepType

# Calls by it keep the interpreter, as a regular expression that backtracks for years does, and take no time of a core.
KEPT = ctypes.PyDLL(None)


def asleep(context):
    while True:
        time.sleep(60)


def holding(context):
    while True:
        KEPT.sleep(60)


def dying(context):
    # The file has a line for each attempt; the first ones kill their process.
    with open(context.input["file"], "a+") as file:
        file.write(str(os.getpid()) + "\\n")
        file.seek(0)
        count = len(file.readlines())
    if count <= context.input["deaths"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"attempts": count}


def step(name, run):
    return StepType(
        name="drill." + name, kind="inline", title=name, help="Never comes back.", icon="clock", group="drill",
        example={"params": {}, "input": {"file": os.devnull, "deaths": 0}}, run=run,
    )


ASLEEP, HOLDING, DYING = step("asleep", asleep), step("holding", holding), step("dying", dying)
"""


def install(folder: Path) -> Path:
    """An installed package in this folder, as far as Python is concerned."""
    facts = folder / "drill_steps-1.0.dist-info"
    facts.mkdir(parents=True)
    (folder / "drill_steps.py").write_text(_MODULE)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: drill-steps\nVersion: 1.0\n")
    offered = "asleep = drill_steps:ASLEEP\nholding = drill_steps:HOLDING\ndying = drill_steps:DYING\n"
    (facts / "entry_points.txt").write_text(f"[handoff.steps]\n{offered}")
    return folder
