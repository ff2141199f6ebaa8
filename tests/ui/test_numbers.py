"""What is typed is what is used, to the digit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import display, numbers

TYPED = [
    (".07", "0.07", 0.07),
    ("-.5", "-0.5", -0.5),
    ("1e-3", "0.001", 0.001),
    ("0.129", "0.129", 0.129),
    ("1/3", "1/3", 1 / 3),
    ("-2/.5", "-2/0.5", -4.0),
    ("１．５", "1.5", 1.5),
    ("0。5", "0.5", 0.5),
    ("－３", "-3", -3.0),
    ("−2", "-2", -2.0),
    ("+4.", "4", 4.0),
    (" 7 ", "7", 7.0),
    ("1 / 4", "1/4", 0.25),
    ("-0", "0", 0.0),
    ("1000000", "1000000", 1e6),
    ("0.1234567890123456", "0.1234567890123456", 0.1234567890123456),
    ("1e-300", "1e-300", 1e-300),
]

REFUSED = [
    ("abc", "not_a_number"), ("1,5", "not_a_number"), ("1 2", "not_a_number"),
    ("3²", "not_a_number"), ("½", "not_a_number"), ("--1", "not_a_number"), ("1e", "not_a_number"),
    ("inf", "not_a_number"), ("nan", "not_a_number"), ("0x10", "not_a_number"), ("1/2/3", "not_a_number"),
    ("", "empty"), ("   ", "empty"), (None, "empty"), (3, "empty"),
    ("1e999", "too_large"), ("1000000.1", "too_large"), ("-2e6", "too_large"), ("1/1e-9", "too_large"),
    ("1/0", "divides_by_zero"), ("0/0.0", "divides_by_zero"),
    ("1e-999", "too_small"), ("1e-200/1e200", "too_small"), ("1" * 33, "too_long"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "text", "value"), TYPED)
def test_a_number_is_read_to_the_digit(typed, text, value):
    assert numbers.canonical(typed) == text
    assert numbers.value(text) == value
    assert numbers.canonical(text) == text


@pytest.mark.parametrize(("typed", "reason"), REFUSED)
def test_anything_else_says_why(typed, reason):
    with pytest.raises(numbers.NotANumber) as refusal:
        numbers.canonical(typed)
    assert refusal.value.reason == reason


@given(st.floats(-1e6, 1e6))
def test_every_float_survives_its_own_spelling(x):
    if x and abs(x) < 1e-290:
        return
    assert numbers.value(numbers.canonical(repr(x))) == x


@given(st.text(max_size=40))
def test_any_text_is_a_number_in_range_or_refused(typed):
    try:
        text = numbers.canonical(typed)
    except numbers.NotANumber:
        return
    assert abs(numbers.value(text)) <= numbers.LIMIT
    assert numbers.canonical(text) == text


@given(st.floats(-1e9, 1e9, allow_nan=False))
def test_no_rounding_lies(x):
    shown = display.short(x).replace(display.MINUS, "-")
    if shown.startswith("≈"):
        return
    assert math.isclose(float(shown), x, rel_tol=0.006, abs_tol=0.00501)
    assert (float(shown) == 0) == (x == 0)
