"""Sets of nodes as the bits of an integer: node number i is in the set if bit i is one."""

from collections.abc import Iterable, Iterator, Sequence


def members(bits: int) -> Iterator[int]:
    """Numbers of the nodes in the set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def as_bits(numbers: Iterable[int]) -> int:
    """Return the set of these node numbers."""
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


def spread(seeds: int, edges: Sequence[int], allowed: int = ~0) -> int:
    """Return the seeds and all allowed nodes that the edges lead to from them."""
    found = frontier = seeds
    while frontier:
        further = 0
        for node in members(frontier):
            further |= edges[node]
        frontier = further & allowed & ~found
        found |= frontier
    return found
