"""One look for all who wait: rung for, not too often, and given up when it fails or all is over."""

import asyncio
import threading

import pytest

from lib.lookout import PAUSE_SECONDS, Lookout

ONE = frozenset({"one"})


class Stage:
    """Looks that find what `news` gives, `are_made` when there were `enough`; `ring` as a thread does it."""

    def __init__(self, *news, enough=1, is_rung=False):
        self.news, self.looks, self.at, self.rings = list(news), [], [], []
        self.enough, self.is_rung, self.are_made = enough, is_rung, asyncio.Event()

    async def look(self, waiting):
        self.at.append(asyncio.get_running_loop().time())
        self.looks.append(dict(waiting))
        if len(self.looks) >= self.enough:
            self.are_made.set()
        if self.is_rung:
            self.ring()
        found = self.news.pop(0) if self.news else {}
        if isinstance(found, Exception):
            raise found
        return found

    def ring(self):
        thread = threading.Thread(target=self.rings[0])
        thread.start()
        thread.join()

    def lookout(self, seconds=600.0):
        return Lookout(self.look, self.rings.append, seconds)


def test_who_waits_is_told_when_it_is_rung_and_all_share_a_look():
    stage = Stage({}, {"one": 1})

    async def play():
        lookout = stage.lookout()
        waiting = [asyncio.create_task(lookout.wait(ONE, 60)) for _ in range(2)]
        await stage.are_made.wait()
        stage.ring()
        done, left = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        count = len(lookout)
        lookout.stop()
        return (
            [task.result() for task in done],
            [await task for task in left],
            count,
            await lookout.wait(ONE, 60),
        )

    assert asyncio.run(play()) == ([True], [False], 1, False)
    assert stage.looks == [{"one": 2}, {"one": 2}]
    assert len(stage.rings) == 1


def test_however_often_it_is_rung_looks_are_apart():
    stage = Stage(enough=5, is_rung=True)

    async def play():
        lookout = stage.lookout()
        waiting = asyncio.create_task(lookout.wait(ONE, 60))
        await stage.are_made.wait()
        lookout.stop()
        await waiting

    asyncio.run(play())
    gaps = [later - earlier for earlier, later in zip(stage.at, stage.at[1:], strict=False)]
    # A loop's timer may come a clock tick early.
    assert min(gaps) > PAUSE_SECONDS - 0.002


def test_nobody_waits_longer_than_asked_for_nor_for_whom_has_gone():
    async def play():
        stage, gone = Stage(enough=2), asyncio.get_running_loop().create_future()
        lookout = stage.lookout(0.01)
        late = await lookout.wait(ONE, 0.01)
        left = asyncio.create_task(lookout.wait(ONE, 60, gone))
        await stage.are_made.wait()
        gone.set_result(None)
        return late, await left, len(lookout)

    assert asyncio.run(play()) == (False, False, 0)


@pytest.mark.parametrize("rung", [True, False], ids=["rung", "by the clock"])
def test_where_a_look_fails_all_who_wait_ask_for_themselves(caplog, rung):
    stage = Stage({}, OSError("no database"))

    async def play():
        lookout = stage.lookout(600.0 if rung else 0.01)
        waiting = [asyncio.create_task(lookout.wait(ONE, 60)) for _ in range(3)]
        await stage.are_made.wait()
        if rung:
            stage.ring()
        return await asyncio.gather(*waiting)

    assert asyncio.run(play()) == [True] * 3
    assert "did not answer" in caplog.text
