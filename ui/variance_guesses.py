"""Which parts of the scale lab ask before they show, and the view that keeps the guess.

Apart from the parts, which draw: the lesson needs it too, and the header of every page needs the lesson.
"""

GUESSES = {"spread": "variance.guess_doubled", "softmax": "variance.guess_dead", "training": "variance.guess_trains",
           "divisors": "variance.guess_alpha"}  # fmt: skip
