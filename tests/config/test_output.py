"""What a child says is printed as it comes, and remembered."""

import asyncio
import json

import pytest

from config.supervisor.output import Output, Pump


class Printed(list):
    """Takes what the supervisor would print."""

    def __init__(self):
        self.heard = asyncio.Event()

    def say(self, line, name="", **_):
        self.append((name, line))
        self.heard.set()


def test_a_line_is_printed_before_the_next_one_comes():
    async def scenario():
        printed, stream = Printed(), asyncio.StreamReader()
        reading = asyncio.create_task(Pump(printed, "prepare").run(stream, 10))
        stream.feed_data(b"about 3 rows\nStill")
        await asyncio.wait_for(printed.heard.wait(), 10)
        assert printed == [("prepare", "about 3 rows")]
        stream.feed_data(b" migrating\n")
        stream.feed_eof()
        await reading
        assert printed[1:] == [("prepare", "Still migrating")]

    asyncio.run(scenario())


def test_only_a_refusal_that_is_the_last_line_is_left_to_who_says_why():
    async def scenario():
        printed, stream = Printed(), asyncio.StreamReader()
        pump = Pump(printed, "prepare", refusal="CommandError: ")
        stream.feed_data(b"CommandError: of a plug-in\na warning\nCommandError: not here\n")
        stream.feed_eof()
        await pump.run(stream)
        assert printed == [("prepare", "CommandError: of a plug-in"), ("prepare", "a warning")]
        assert pump.last_lines[-1] == pump.withheld == "CommandError: not here"
        pump.print_withheld()
        pump.print_withheld()
        assert printed[2:] == [("prepare", "CommandError: not here")]

    asyncio.run(scenario())


def test_a_refusal_is_said_soon_though_the_child_hangs_after_it(monkeypatch):
    monkeypatch.setattr("config.supervisor.output.REFUSAL_SECONDS", 0.01)

    async def scenario():
        printed, stream = Printed(), asyncio.StreamReader()
        pump = Pump(printed, "prepare", refusal="CommandError: ")
        stream.feed_data(b"CommandError: not here\n")
        with pytest.raises(TimeoutError):
            await pump.run(stream, 0.01)
        assert (printed, pump.withheld) == ([("prepare", "CommandError: not here")], "")

    asyncio.run(scenario())


def test_who_says_nothing_for_too_long_is_not_waited_for():
    async def scenario():
        stream = asyncio.StreamReader()
        stream.feed_data(b"one line")
        with pytest.raises(TimeoutError):
            await Pump(Printed(), "prepare").run(stream, 0.01)

    asyncio.run(scenario())


def test_as_json_every_line_is_an_object_with_the_name_of_its_process(capfd):
    output = Output(as_json=True)
    output.say('{"time": "t", "message": "one"}', "web")
    output.say("\nplain “words”\n", "postgres")
    output.say("Handoff stops")
    output.close()
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert lines[0] == {"process": "web", "time": "t", "message": "one"}
    assert [(line["process"], line["message"]) for line in lines[1:]] == [
        ("postgres", "plain “words”"),
        ("supervisor", "Handoff stops"),
    ]
