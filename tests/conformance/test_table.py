"""The table of who plays which case has each player and each case, and what it says of them is good."""

import pytest

from tests.conformance import table
from tests.conformance.playing import CASES, PLAYERS


def test_the_table_has_each_case_and_each_player_and_what_makes_it_is_the_same():
    before = table.FILE.read_text()
    assert "\n".join(table.lines(table.kept())) == before, "make conformance"


@pytest.mark.parametrize("player", PLAYERS)
def test_each_player_was_seen_to_play_each_case(player):
    cells = table.kept()
    assert {case.stem: cells.get((player, case.stem)) for case in CASES} == dict.fromkeys(
        [case.stem for case in CASES], table.PLAYED
    )


def test_a_cell_that_was_played_is_written_and_the_others_stay(tmp_path):
    cells = table.kept()
    one, other = CASES[0].stem, CASES[1].stem
    file = tmp_path / "table.md"
    table.write(cells | {("go", one): table.DIFFERS, ("gone", one): table.PLAYED}, file)
    again = table.kept(file)
    assert again["go", one] == table.DIFFERS
    assert ("gone", one) not in again
    assert again["go", other] == cells["go", other]
