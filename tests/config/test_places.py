"""Callers who compute much share few places while others ask, and have all there are while nobody does."""

import asyncio

import pytest

from config import places
from config.places import Places

MOMENT = 0.02


class Asking:
    """Requests that hold their places until they are told to end."""

    def __init__(self, it):
        self.it, self.ends, self.tasks, self.inside = it, {}, [], []

    async def begin(self, name, *, is_heavy=False, computes_for=None):
        self.ends[name] = asyncio.Event()
        self.tasks.append(asyncio.create_task(self._hold(name, is_heavy, computes_for)))
        await asyncio.wait(self.tasks[-1:], timeout=MOMENT)

    async def end(self, *names):
        for name in names:
            self.ends[name].set()
        await asyncio.wait(self.tasks, timeout=MOMENT)

    async def _hold(self, name, is_heavy, computes_for):
        computes = computes_for is not None
        async with self.it.place(computes_for or name, lambda: is_heavy, computes=computes):
            self.inside.append(name)
            await self.ends[name].wait()
            self.inside.remove(name)


def played(play):
    async def all_of_it():
        asking = Asking(Places(8, 2))
        await play(asking)
        await asking.end(*asking.ends)
        await asyncio.wait_for(asyncio.gather(*asking.tasks), 5)
        assert asking.inside == []

    asyncio.run(all_of_it())


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(places, "QUIET_SECONDS", 0.2)
    monkeypatch.setattr(places, "_LOOK_SECONDS", 0.02)


def test_while_nobody_else_asks_there_is_no_limit():
    async def play(asking):
        for number in range(6):
            await asking.begin(f"heavy {number}", is_heavy=True)
        assert len(asking.inside) == 6

    played(play)


def test_while_others_ask_few_go_on_in_their_order_and_others_pass_them():
    async def play(asking):
        await asking.begin("light", is_heavy=False)
        for number in range(4):
            await asking.begin(f"heavy {number}", is_heavy=True)
        await asking.begin("another", is_heavy=False)
        assert asking.inside == ["light", "heavy 0", "heavy 1", "another"]
        await asking.end("heavy 0")
        assert asking.inside == ["light", "heavy 1", "another", "heavy 2"]

    played(play)


def test_when_others_are_quiet_all_that_wait_go_on():
    async def play(asking):
        await asking.begin("light", is_heavy=False)
        for number in range(5):
            await asking.begin(f"heavy {number}", is_heavy=True)
        await asking.end("light")
        assert len(asking.inside) == 2
        await asyncio.wait(asking.tasks, timeout=0.4)
        assert len(asking.inside) == 5

    played(play)


def test_who_leaves_while_it_waits_takes_no_place():
    async def play(asking):
        await asking.begin("light", is_heavy=False)
        for number in range(4):
            await asking.begin(f"heavy {number}", is_heavy=True)
        gone = asking.tasks.pop(3)
        gone.cancel()
        await asyncio.wait([gone])
        await asking.end("heavy 0")
        assert asking.inside == ["light", "heavy 1", "heavy 3"]

    played(play)


def test_callers_whose_requests_compute_take_turns_and_others_pass_them():
    async def play(asking):
        for number in range(3):
            await asking.begin(f"one {number}", computes_for="one")
        await asking.begin("another", computes_for="another")
        await asking.begin("light")
        assert asking.inside == ["one 0", "light"]
        await asking.end("one 0")
        assert asking.inside == ["light", "another"]
        await asking.end("another")
        assert asking.inside == ["light", "one 1"]

    played(play)


def test_a_request_that_leaves_while_it_waits_for_its_turn_to_compute_keeps_nobody_waiting():
    async def play(asking):
        await asking.begin("first", computes_for="one")
        await asking.begin("waits", computes_for="one")
        await asking.begin("waits, too", computes_for="another")
        for task in asking.tasks[1:]:
            task.cancel()
        await asyncio.wait(asking.tasks[1:], timeout=1)
        del asking.tasks[1:]
        await asking.begin("second", computes_for="one")
        await asking.begin("third", computes_for="another")
        await asking.end("first")
        assert len(asking.inside) == 1
        await asking.end("second", "third")
        assert asking.inside == []

    played(play)
