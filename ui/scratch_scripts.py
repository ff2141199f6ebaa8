"""The reader's state as scripts that check themselves, in NumPy and in PyTorch. No Streamlit inside.

A script holds numbers and sentences of ours alone. Nothing a reader typed as text (tokens) may get into it: it is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import attention
from ui import scratch_words
from ui.text import Text
from ui.workbench import Workbench

#: how the operation is told the scale; the bench divides by its inverse
SCALES = {"sqrt": "1 / math.sqrt(Q.shape[-1])", "none": "1.0", "linear": "1 / Q.shape[-1]"}


@dataclass(frozen=True)
class Checked:
    """What came of running the PyTorch script here."""

    version: str
    difference: float = float("nan")
    error: str = ""


def numpy_call(bench: Workbench) -> str:
    """The one line of the script that does it.

    >>> from ui.workbench import preset
    >>> numpy_call(preset("cat"))
    'output = attention(Q, K, V)'
    """
    return "output = attention(Q, K, V, mask)" if bench.mask != "none" else "output = attention(Q, K, V)"


def torch_call(bench: Workbench) -> str:
    """The same line in PyTorch, with the reader's mask and scale.

    >>> from ui.workbench import preset
    >>> torch_call(preset("cat"))
    'output = F.scaled_dot_product_attention(Q, K, V, scale=1 / math.sqrt(Q.shape[-1]))'
    """
    mask = "attn_mask=mask, " if bench.mask != "none" else ""
    return f"output = F.scaled_dot_product_attention(Q, K, V, {mask}scale={SCALES[bench.scale]})"


def numpy_script(bench: Workbench, text: Text) -> str:
    """The two functions as they run here, the reader's numbers, and an assertion."""
    Q, K, V = bench.qkv()
    expected = attention.attention(Q, K, V, bench.mask_array())
    return "\n".join([
        f"# {text('script_numpy')}",
        "import numpy as np",
        *("\n" + source + "\n" for source in scratch_words.plain_source().values()),
        *_numbers(bench, "np.array", "", text),
        numpy_call(bench),
        "",
        f"# {text('script_expected')}",
        _matrix("expected", expected, "np.array"),
        f"np.testing.assert_allclose(output, expected, rtol=0, atol={tolerance(bench):g})",
        "print(output)",
    ])  # fmt: skip


def torch_script(bench: Workbench, text: Text) -> str:
    """The reader's numbers through PyTorch's operation, and an assertion that it gives what is on screen."""
    return "\n".join([
        f"# {text('script_torch')}",
        *(["import math", ""] if bench.scale == "sqrt" else []),
        "import torch",
        "import torch.nn.functional as F",
        "",
        *_numbers(bench, "torch.tensor", ", dtype=torch.float64", text),
        torch_call(bench),
        "",
        f"# {text('script_expected')}",
        _matrix("expected", bench.steps().output, "torch.tensor", ", dtype=torch.float64"),
        "difference = (output - expected).abs().max().item()",
        'print("difference:", difference)',
        f"assert difference <= {tolerance(bench):g}",
    ])  # fmt: skip


def tolerance(bench: Workbench) -> float:
    """How far two correct programs may be apart: float64 rounds each product, and softmax passes that on.

    >>> from ui.workbench import preset
    >>> tolerance(preset("cat"))
    1e-09
    """
    Q, K, V = (np.abs(x) for x in bench.qkv())
    # A product off by one rounding moves the scores by so much, and each weight by at most as much.
    moved = 8 * np.finfo(float).eps * Q.shape[-1] * float((Q @ K.T).max())
    return float(f"{max(1e-9, min(moved, 2.0) * max(float(V.max()), 1.0)):.0e}")


def checked(bench: Workbench, text: Text) -> Checked | None:
    """Run the PyTorch script here; None where there is no PyTorch."""
    try:
        import torch  # optional: only where somebody has installed it
    except (ImportError, OSError):
        return None
    return _run(torch_script(bench, text), str(torch.__version__))


@lru_cache(maxsize=64)
def _run(script: str, version: str) -> Checked:
    names: dict[str, Any] = {"print": lambda *_: None}
    try:
        exec(compile(script, "<script>", "exec"), names)
    except Exception as error:  # an old PyTorch, or a difference: both are for the reader to see
        return Checked(version, float(names.get("difference", "nan")), f"{type(error).__name__}: {error}")
    return Checked(version, float(names["difference"]))


def _numbers(bench: Workbench, call: str, how: str, text: Text) -> list[str]:
    """Q, K, V and the mask."""
    lines = [_matrix(name, x, call, how) for name, x in zip("QKV", bench.qkv(), strict=True)]
    mask = bench.mask_array()
    if mask is not None:
        lines += [f"# {text('script_mask')}", _matrix("mask", mask, call)]
    return lines


def _matrix(name: str, x: NDArray[Any], call: str, how: str = "") -> str:
    rows = "".join(f"    [{', '.join(map(_number, row))}],\n" for row in x.tolist())
    return f"{name} = {call}([\n{rows}]{how})"


def _number(x: float | bool) -> str:
    if isinstance(x, bool):
        return str(x)
    return repr(x) if np.isfinite(x) else f'float("{x}")'
