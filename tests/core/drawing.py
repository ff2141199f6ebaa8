"""The very numbers that measurements draw, made in another way."""

import numpy as np


def drawn_at_once(draws, d_k, seed, *keys):
    """All components in one array, as the documentation says they come: a component after the other.

    Returns: q (d_k, draws) and k (d_k, draws, *keys).
    """
    for_q, for_k = (np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(2))
    return for_q.standard_normal((d_k, draws)), for_k.standard_normal((d_k, draws, *keys))
