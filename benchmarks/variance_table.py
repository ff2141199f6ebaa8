"""Print how softmax saturates with d_k, for any of the divisors.

    python -m benchmarks.variance_table [--draws 4000] [--seed 0] [--stops 16 64 512] [--divisors none sqrt linear]

One query and 8 keys a draw, components independent N(0, 1). "dead": rows whose softmax Jacobian has a
Frobenius norm below 0.01. "gradient": ‖∂p/∂q‖ of a row. The mean alone would mislead: undivided, it rises
while most rows die, carried by the 1 % with the largest gradients. In brackets: 95 % intervals.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from attention.saturation import COLUMNS, SCALES, Saturation, measure_saturation


def table(study: Saturation, columns: Sequence[str]) -> str:
    """The measurements as a Markdown table."""
    lines = ["| d_k | divisor | mean entropy (1 = uniform) | dead rows | median gradient | 5 to 95 % of rows "
             "| mean gradient | part of the largest 1 % |", "|--:|:--|" + "--:|" * 6]  # fmt: skip
    for d_k in study.d_k:
        for column in columns:
            forms = {"entropy": ".3f", "dead": ".1%", "median": ".3g", "mean": ".3g"}
            said = [_within(study, what, study.at(d_k, column), form) for what, form in forms.items()]
            low, high = study.quantiles[study.at(d_k, column)][[0, -1]]
            said[3:3] = [f"{low:.3g} – {high:.3g}"]
            lines.append(f"| {d_k} | {column} | {' | '.join(said)} | {study.few[study.at(d_k, column)]:.1%} |")
    return "\n".join(lines)


def _within(study: Saturation, what: str, at: tuple[int, int], form: str) -> str:
    value, low, high = getattr(study, what)[at]
    return f"{value:{form}} ({low:{form}} – {high:{form}})"


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--draws", type=int, default=4000)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--stops", type=int, nargs="+", default=[16, 64, 512])
    ask.add_argument("--divisors", nargs="+", default=list(SCALES), choices=COLUMNS, metavar="NAME")
    args = ask.parse_args()
    start = time.perf_counter()
    study = measure_saturation(args.draws, args.stops, seed=args.seed)
    seconds = time.perf_counter() - start
    print(table(study, args.divisors))
    print(f"\n{study.draws} draws, {study.n_keys} keys, seed {args.seed}, {len(COLUMNS)} divisors, {seconds:.2f} s")


if __name__ == "__main__":
    main()
