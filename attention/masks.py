"""Masks say who may attend to whom: boolean, queries in rows, keys in columns, True = may attend."""

import numpy as np
from numpy.typing import ArrayLike

from attention.checks import InputError, Mask, mask_array, numbers_of, whole_number


def causal_mask(n_q: int, n_k: int | None = None) -> Mask:
    """Let each query attend to its own position and to those before it.

    mask[i, j] = (j ≤ i). With n_q ≠ n_k query 0 and key 0 are still the same position (the top left corner),
    as in PyTorch's `is_causal`.

    n_q, n_k: how many queries and keys; n_k is n_q if left out.
    Returns: (n_q, n_k), boolean.
    Raises: InputError unless both are whole numbers from 1.
    Source: "Attention Is All You Need" (2017), section 3.2.3.

    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    """
    rows = whole_number("n_q", n_q)
    return np.tri(rows, rows if n_k is None else whole_number("n_k", n_k), dtype=bool)


def padding_mask(lengths: ArrayLike, n_k: int) -> Mask:
    """Hide the keys that only fill a short sequence up to the common length.

    mask[..., 0, j] = (j < length). Its one row broadcasts to all queries: padding hides keys, not queries.

    lengths: (...), how many real tokens each sequence has, from 0 to n_k. n_k: the common length.
    Returns: (..., 1, n_k), boolean.
    Raises: InputError if n_k is not a whole number from 1, or a length is not one from 0 to n_k.

    >>> padding_mask([3, 1], 4).astype(int).tolist()
    [[[1, 1, 1, 0]], [[1, 0, 0, 0]]]
    """
    n_k = whole_number("n_k", n_k)
    counts = numbers_of("lengths", lengths)
    wrong = counts[~np.isin(counts, np.arange(n_k + 1))]
    if wrong.size:
        raise InputError("lengths", "lengths", f"whole numbers from 0 to {n_k}", str(wrong[0]))
    mask: Mask = np.arange(n_k) < np.array(counts, dtype=int)[..., None, None]
    return mask


def sliding_window_mask(n: int, window: int) -> Mask:
    """Let each query attend only to keys that are near.

    mask[i, j] = (|i − j| < window). With `causal_mask` it leaves the last `window` tokens, the query's too.

    n: how many tokens. window: 1 is the token alone, 2 adds a neighbour on each side, and so on.
    Returns: (n, n), boolean.
    Raises: InputError unless both are whole numbers from 1.
    Source: Beltagy et al., "Longformer" (2020), section 3.1; with `causal_mask`, Jiang et al., "Mistral 7B"
        (2023), section 2.

    >>> sliding_window_mask(4, 2).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    position = np.arange(whole_number("n", n))
    distance = np.abs(position[:, None] - position)
    mask: Mask = distance < whole_number("window", window)
    return mask


def combine_masks(*masks: ArrayLike | None) -> Mask | None:
    """Allow only what every mask allows.

    mask = mask₁ ∧ mask₂ ∧ …, broadcast against each other; None stands for "everything is allowed".

    masks: boolean arrays (..., n_q, n_k), or None.
    Returns: their conjunction; None if there was nothing but None.
    Raises: InputError if a mask is not boolean, has fewer than two axes, or does not broadcast with the rest.

    >>> combine_masks(causal_mask(3), None, padding_mask(2, 3)).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    combined: Mask | None = None
    for i, each in enumerate(masks):
        if each is None:
            continue
        mask = mask_array(f"masks[{i}]", each)
        combined = mask if combined is None else _both(combined, mask, f"masks[{i}]")
    return combined


def _both(a: Mask, b: Mask, name: str) -> Mask:
    try:
        return a & b
    except ValueError as error:
        raise InputError("mask_shape", name, f"a shape that broadcasts with {a.shape}", b.shape) from error
