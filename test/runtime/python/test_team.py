"""Teams against numpy.matmul."""

import numpy as np
import pytest

import tilewright as tw


@pytest.fixture(scope="module")
def team(device):
    with tw.open(device, cache=False) as first, tw.open(device, cache=False) as second:
        with tw.Team([first, second], shares=[1, 2]) as both:
            yield both


def numbers(random, *shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("turn_b", [False, True])
@pytest.mark.parametrize("turn_out", [False, True])
def test_orders(team, random, turn_a, turn_b, turn_out):
    a, b, out = numbers(random, 70, 40), numbers(random, 40, 50), np.empty((70, 50), np.float32)
    a, b, out = (np.asfortranarray(one) if turn else one for one, turn in ((a, turn_a), (b, turn_b), (out, turn_out)))
    assert team.matmul(a, b, out=out) is out
    np.testing.assert_allclose(out, a @ b, atol=1e-5)


def test_vectors_and_slices(team, random):
    a, v = numbers(random, 64, 64), numbers(random, 64)
    for x, y in ((a, v), (v, a), (v, v), (a[3:40, 2:30], a[1:29, 5:60]), (a[::-1], a), (a[:0], a), (a[:, :0], a[:0])):
        np.testing.assert_allclose(team.matmul(x, y), x @ y, atol=1e-5)


def test_members(team, device):
    assert team.drop_reasons == ["", ""]
    assert team.num_skipped == [0, 0]
    assert team.skip_reasons == ["", ""]
    team.measure(np.float32)
    assert len(team.explain((64, 64), (64, 64)).splitlines()) >= 2
    closed = tw.Team([tw.open(device, cache=False)], measure=False)  # the team keeps what it needs of the library
    one = np.ones((4, 4), np.float32)
    assert closed.matmul(one, one)[0, 0] == 4
    closed.close()
    with pytest.raises(ValueError, match="the team is closed"):
        closed.matmul(one, one)


def test_errors(team, lib):
    with pytest.raises(ValueError, match="does not multiply batches"):
        team.matmul(np.ones((2, 3, 3), np.float32), np.ones((3, 3), np.float32))
    with pytest.raises(ValueError, match="inner extents"):
        team.matmul(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))
    with pytest.raises(ValueError, match="an extent is -2, which is negative"):
        team.explain((-2, 3), (3, 2))
    with pytest.raises(ValueError, match="1 members and 2 shares"):
        tw.Team([lib], shares=[1, 2])
    with pytest.raises(ValueError, match="a member is a tilewright.Library"):
        tw.Team([3])
    with pytest.raises(TypeError, match="b is a masked array"):
        team.matmul(np.ones((3, 3), np.float32), np.ma.ones((3, 3), np.float32))
    with pytest.raises(tw.ProfileError) as caught:
        tw.Team([lib], profile="no-such-team.toml")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(tw.ArgumentError, match="no-such-cblas.so"):
        tw.Team(["no-such-cblas.so"])
    with pytest.raises(tw.ArgumentError):
        tw.Team([])
    with pytest.raises(tw.ProfileError):
        tw.Team([lib], profile="/none.toml")
