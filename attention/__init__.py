"""Attention, with nothing but NumPy: small enough to read, and equal to PyTorch's (see tests/core).

Arrays are float64 of shape (..., n, d): tokens are rows, leading axes are batches.
Masks are boolean: True = may attend.

Formulas are offered by their names: `attention.softmax`. Experiments on them, and what else is a subject of its own,
are modules: `attention.training.Setting`.
"""

from attention import (
    assumptions,
    by_line,
    distributions,
    divisors,
    examples,
    experiment,
    growing,
    intervals,
    matching,
    responses,
    saturation,
    small_experiments,
    training,
    variants,
)
from attention.checks import InputError
from attention.dot_product import AttentionSteps, attention, attention_steps
from attention.edits import Edit, smallest_edit
from attention.examples import Example
from attention.gradients import (
    GradientSteps,
    ProjectionGradients,
    attention_gradients,
    central_slope,
    distance_loss,
    gradient_steps,
    projection_gradients,
)
from attention.leaks import (
    cached_outputs,
    filled_steps,
    filled_weights,
    leaked_output,
    leaked_weights,
    masked_after_steps,
    multiplications,
)
from attention.masks import causal_mask, combine_masks, padding_mask, sliding_window_mask
from attention.multihead import MultiHead, MultiHeadSteps
from attention.positions import (
    alibi_bias,
    alibi_slopes,
    biased_steps,
    position_shift,
    rotary,
    sinusoidal_positions,
)
from attention.projections import asymmetry, merged_projection, project
from attention.similarity import head_similarity, js_divergence
from attention.softmax import entropy, normalized_entropy, softmax, softmax_jacobian
from attention.temperature import tempered_softmax
from attention.tiled import tiled_attention, tiled_steps

__all__ = [
    "AttentionSteps",
    "Edit",
    "Example",
    "GradientSteps",
    "InputError",
    "MultiHead",
    "MultiHeadSteps",
    "ProjectionGradients",
    "alibi_bias",
    "alibi_slopes",
    "assumptions",
    "asymmetry",
    "attention",
    "attention_gradients",
    "attention_steps",
    "biased_steps",
    "by_line",
    "cached_outputs",
    "causal_mask",
    "central_slope",
    "combine_masks",
    "distance_loss",
    "distributions",
    "divisors",
    "entropy",
    "examples",
    "experiment",
    "filled_steps",
    "filled_weights",
    "gradient_steps",
    "growing",
    "head_similarity",
    "intervals",
    "js_divergence",
    "leaked_output",
    "leaked_weights",
    "masked_after_steps",
    "matching",
    "merged_projection",
    "multiplications",
    "normalized_entropy",
    "padding_mask",
    "position_shift",
    "project",
    "projection_gradients",
    "responses",
    "rotary",
    "saturation",
    "sinusoidal_positions",
    "sliding_window_mask",
    "small_experiments",
    "smallest_edit",
    "softmax",
    "softmax_jacobian",
    "tempered_softmax",
    "tiled_attention",
    "tiled_steps",
    "training",
    "variants",
]
