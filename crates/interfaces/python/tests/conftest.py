"""What the tests share."""

import numpy as np
import pytest

import tavola


@pytest.fixture(scope="session")
def engine():
    """An engine that leaves endings to the network."""
    return tavola.Engine(tables=False, threads=2)


@pytest.fixture(scope="session")
def network():
    """The built-in network."""
    return tavola.Network()


@pytest.fixture(scope="session")
def records(network):
    """Some games of the network."""
    return tavola.selfplay(network, 20, seed=3, threads=2)


@pytest.fixture(scope="session")
def states(records):
    """Positions from play, as many as several blocks have."""
    return np.concatenate((records.states, records.afterstates[records.points == 0]))
