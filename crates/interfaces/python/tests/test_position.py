"""Positions."""

import numpy as np
import pytest

import tavola


def test_every_form_is_read_and_written():
    position = tavola.Position("XGID=-b----E-C---eE---c-e----B-:1:1:1:31:3:5:0:7:10")
    assert position.gnu_id == "4HPwATDgc/ABMA" and position.pips == position.opponent_pips == 167
    for form in ["gnubg-id", "ogid", "fibs", "xgid"]:
        assert np.array_equal(tavola.Position(position.to(form)).counts, position.counts), form
    assert tavola.Position(position.xgid) == position != tavola.Position()
    assert len(position.plays()) == len(position.afterstates((3, 1))) == 16
    assert len({position, tavola.Position(position)}) == 1


def test_counts_are_read_and_kept():
    counts = tavola.Position().counts
    assert counts.dtype == np.int8 and counts.shape == (26,) and not counts.flags.writeable
    assert tavola.Position(counts) == tavola.Position(counts.tolist()) == tavola.Position()
    moved = tavola.Position("sGfwATDgc/ABMA")
    assert moved.flip() != moved and moved.flip().flip() == moved
    with pytest.raises(tavola.TavolaError) as caught:
        tavola.Position([0] * 26)
    assert caught.value.kind == "position"


def test_a_board_is_drawn():
    position = tavola.Position()
    assert position._repr_svg_().startswith("<svg") and "BAR" in str(position)
    assert eval(repr(position), {"Position": tavola.Position}) == position


def test_variants_have_their_own_start():
    hypergammon = tavola.Position(game="hypergammon")
    assert hypergammon.counts.clip(0).sum() == 3
    assert len(tavola.afterstates(hypergammon.counts, (2, 1), game="hypergammon")) > 1


def test_afterstates_are_those_of_the_plays():
    position = tavola.Position()
    plays = position.plays("64")
    expected = {tavola.Position(play["position"]).counts.tobytes() for play in plays}
    assert {row.tobytes() for row in position.afterstates((6, 4))} == expected
    with pytest.raises(tavola.TavolaError) as caught:
        position.afterstates((7, 1))
    assert caught.value.kind == "dice"
    over = np.zeros(26, np.int8)
    over[6] = 15
    with pytest.raises(tavola.TavolaError, match="the game is over"):
        tavola.afterstates(over, (2, 1))
