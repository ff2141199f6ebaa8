"""Print how softmax saturates with d_k, for the divisors 1, √d_k and d_k.

    python -m benchmarks.variance_table [--draws 4000] [--seed 0] [--stops 16 64 512]

One query and 8 keys a draw, components independent N(0, 1). "dead": rows whose softmax Jacobian has a
Frobenius norm below 0.01. "gradient": ‖∂p/∂q‖ of a row. The mean alone would mislead: undivided, it rises
while most rows die.
"""

from __future__ import annotations

import argparse
import time

from attention.saturation import SCALES, Saturation, measure_saturation

NAMES = {"none": "1", "sqrt": "√d_k", "linear": "d_k"}


def table(study: Saturation) -> str:
    """The measurements as a Markdown table."""
    lines = ["| d_k | divisor | mean entropy (1 = uniform) | dead rows | median gradient | mean gradient |",
             "|--:|:--|--:|--:|--:|--:|"]  # fmt: skip
    for s, d_k in enumerate(study.d_k):
        for which, scale in enumerate(SCALES):
            lines.append(
                f"| {d_k} | {NAMES[scale]} | {study.entropy[s, which]:.2f} | {study.dead[s, which]:.0%} "
                f"| {study.median[s, which]:.3g} | {study.mean[s, which]:.3g} |"
            )
    return "\n".join(lines)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--draws", type=int, default=4000)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--stops", type=int, nargs="+", default=[16, 64, 512])
    args = ask.parse_args()
    start = time.perf_counter()
    study = measure_saturation(args.draws, args.stops, seed=args.seed)
    seconds = time.perf_counter() - start
    print(table(study))
    print(f"\n{study.draws} draws, {study.n_keys} keys, seed {args.seed}, {seconds:.2f} s")


if __name__ == "__main__":
    main()
