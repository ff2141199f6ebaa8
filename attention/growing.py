"""Vectors that grow: nothing is drawn anew for the next d_k, the same pairs get further components.

So d_k = 64 means the first 64 components of the vectors that d_k = 4096 has all of. A component after the other is
drawn up to `LITERAL` of them; what more of them add is drawn in one go, from its exact distribution (see `grow_pairs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from attention.checks import Array, InputError, whole_number

BLOCK = 2**19  # numbers drawn at a time: 4 MiB, a few milliseconds

LITERAL = 64
"""Up to this many components are drawn one by one."""

Report = Callable[[float], object]


def grow_pairs(
    draws: int, stops: Sequence[int], *, seed: int = 0, block: int = BLOCK, report: Report | None = None
) -> Iterator[Array]:
    """Yield q·k of `draws` pairs (q, k) at each stop, as their vectors grow.

    q·k at d_k is q·k at the stop before plus Σ qᵢ kᵢ over the m components that came since. The first LITERAL
    components are drawn and multiplied one by one. Beyond, the sum over m components is drawn as a whole: given these
    components of q, it is Σ qᵢ kᵢ ~ N(0, Σ qᵢ²), for a sum of independent normal kᵢ is normal; and Σ qᵢ² ~ χ²_m. So
    it is √χ²_m · z with z ~ N(0, 1): exactly the same joint distribution at all stops, at any m.

    How many components are drawn at a time (`block` numbers at most) changes nothing but rounding: q and k have a
    generator each, and the numbers of one component follow one another.

    Yields: (draws,) for each stop; the same array, grown.

    >>> [x.round(2).tolist() for x in grow_pairs(2, (1, 2), seed=0)]
    [[1.16, 1.71], [-1.41, 1.72]]
    """
    for_q, for_k = generators(seed)
    most = max(block // draws, 1)
    q, k, products = np.empty((most, draws)), np.empty((most, draws)), np.zeros(draws)
    steps = list(_steps(stops, most))
    for done, (reached, size) in enumerate(steps, 1):
        if reached <= LITERAL:
            for_q.standard_normal(out=q[:size])
            for_k.standard_normal(out=k[:size])
            products += np.einsum("id,id->d", q[:size], k[:size])
        else:
            length = for_q.standard_gamma(size / 2, out=q[0])  # χ²_m is twice a gamma variable of shape m/2
            length *= 2
            products += np.sqrt(length, out=length) * for_k.standard_normal(out=k[0])
        if report:
            report(done / len(steps))
        if reached in stops:
            yield products


def _steps(stops: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Go from 0 to the last stop: in chunks up to LITERAL components, from there from stop to stop."""
    near, far = [d_k for d_k in stops if d_k <= LITERAL], [d_k for d_k in stops if d_k > LITERAL]
    yield from chunks([*near, LITERAL] if far else near, most)
    for reached, before in zip(far, [LITERAL, *far], strict=False):
        yield reached, reached - before


def generators(seed: int) -> list[np.random.Generator]:
    """One generator for the queries and one for the keys.

    Raises: InputError if the seed is no whole number from 0.
    """
    seeds = np.random.SeedSequence(whole_number("seed", seed, 0)).spawn(2)
    return [np.random.default_rng(each) for each in seeds]


def chunks(stops: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Go from 0 to the last stop in chunks of at most `most` components that end at every stop.

    Yields: how far it is then, and how many components that took.

    >>> list(chunks((1, 4, 6), most=2))
    [(1, 1), (3, 2), (4, 1), (6, 2)]
    """
    reached = 0
    for stop in stops:
        while reached < stop:
            size = min(most, stop - reached)
            reached += size
            yield reached, size


def checked_stops(stops: Sequence[int]) -> tuple[int, ...]:
    """The stops as a tuple of increasing whole numbers."""
    whole = tuple(whole_number("stops", stop) for stop in stops)
    if not whole or list(whole) != sorted(set(whole)):
        raise InputError("shape", "stops", "increasing whole numbers", str(whole))
    return whole
