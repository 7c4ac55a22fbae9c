"""From the values of coalitions to each player's contribution (the paper's equation 5)."""

from math import comb

import numpy as np

from fairpath.vocabulary import FloatMatrix, IntMatrix


def from_chains(values: FloatMatrix, order: IntMatrix) -> FloatMatrix:
    """Give each player what its joining adds in one order.

    ``values`` has the shape (rows, players + 1); the result (rows, players).
    """
    gains = np.empty(order.shape)
    np.put_along_axis(gains, order, np.diff(values, axis=1), axis=1)
    return gains


def from_subsets(values: FloatMatrix) -> FloatMatrix:
    """Give each player its Shapley value, from the values of all subsets.

    ``values`` has the shape (rows, 2 ** players), subset s holding the players whose bit is
    one; the result (rows, players).
    """
    n_players = values.shape[1].bit_length() - 1
    # w(s) = 1 / (n * C(n - 1, s)), s = size of the coalition before the player joins
    weight = np.array([1 / (n_players * comb(n_players - 1, s)) for s in range(n_players)])
    size = np.bitwise_count(np.arange(values.shape[1] // 2))
    result = np.empty((len(values), n_players))
    for player in range(n_players):
        pairs = values.reshape(len(values), -1, 2, 1 << player)
        gains = (pairs[:, :, 1] - pairs[:, :, 0]).reshape(len(values), -1)
        # Without the player's bit, the other players are numbered through in both.
        result[:, player] = gains @ weight[size]
    return result
