"""Matrix products on one core, where NumPy's library would share each among all of them.

OpenBLAS has one thread a core, and those that share a product wait for each other. Small products gain little by that
on idle cores; where the cores have other work (a class on the server), a step of training took 125 ms instead of 3,
and kept every core busy. NumPy has no switch for it (numpy PR #13136), so this one is its library's.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

#: where NumPy's wheels keep the library on Linux and Windows, and on macOS
PLACES = ("../numpy.libs/*openblas*", ".dylibs/*openblas*")


@contextmanager
def one_core() -> Iterator[None]:
    """Compute products on one core meanwhile; with another library than OpenBLAS they are computed as always."""
    switch = _switch()
    if switch is None:
        yield
        return
    read, write = switch
    before = read()
    write(1)
    try:
        yield
    finally:
        write(before)


@cache
def _switch() -> tuple[Any, Any] | None:
    """How to read and to set the number of OpenBLAS's threads, for the whole process."""
    for pattern in PLACES:
        for path in Path(np.__file__).parent.glob(pattern):
            try:
                library = ctypes.CDLL(str(path))  # the one that NumPy has loaded
                return library.scipy_openblas_get_num_threads64_, library.scipy_openblas_set_num_threads64_
            except (OSError, AttributeError):
                continue
    return None
