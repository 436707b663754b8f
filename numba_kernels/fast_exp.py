"""An exponential that LLVM can vectorise.

Without Intel's SVML, numba calls the C library's `exp` one number at a time, and that call is most
of a Gaussian density. The usual reduction x = n log 2 + r with |r| <= log(2) / 2 needs only
additions and multiplications when n is read from the bits of x / log 2 + 1.5 * 2^52: the addition
rounds to a whole number and leaves it in the low bits, from where a shift brings it into the
exponent field of the polynomial's value.
"""

from __future__ import annotations

from sdmetrics_disclosure.numba_kernels.intrinsics import float_bits, float_from_bits
from sdmetrics_disclosure.numba_kernels.jit import fused_inlined

LOG2_E = 1.4426950408889634
LOG_2_HIGH = 0.6931471803691238  # the last 21 bits are zero, so n * LOG_2_HIGH is exact
LOG_2_LOW = 1.9082149292705877e-10
ROUNDING = 6755399441055744.0  # 1.5 * 2^52
EXPONENT_SHIFT = 52

#: Below this argument the result is 0: e^-57.6 = 1e-25. What is dropped is far below one unit in
#: the last place of a sum that holds a 1, and subnormal numbers never appear.
FLUSH_BELOW = -57.564627324851145

#: Above this argument the result stays what it is there: large, and not garbage.
LARGEST = 600.0


# Reordered sums would cancel the rounding constant against itself: fused, never `fast_inlined`.
@fused_inlined
def flushed_exp(x: float) -> float:
    """Return e^x; 0 for x below `FLUSH_BELOW`, and e^600 for x above 600.

    Relative error at most 1.5e-15 on [-57, 57], 7e-15 up to 600. The polynomial interpolates
    (e^r - 1 - r) / r^2 at Chebyshev's points of |r| <= log(2) / 2, degree 8, so that 1 + r stays
    exact.
    """
    bounded = min(max(x, FLUSH_BELOW), LARGEST)
    shifted = bounded * LOG2_E + ROUNDING
    whole = shifted - ROUNDING
    r = (bounded - whole * LOG_2_HIGH) - whole * LOG_2_LOW
    p = 2.761379555451986e-07
    p = p * r + 2.7625102005388108e-06
    p = p * r + 2.4801536409064087e-05
    p = p * r + 0.0001984120875699232
    p = p * r + 0.0013888888905871347
    p = p * r + 0.008333333353717156
    p = p * r + 0.041666666666651364
    p = p * r + 0.16666666666648303
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    value = float_from_bits(float_bits(p) + (float_bits(shifted) << EXPONENT_SHIFT))
    return value if x >= FLUSH_BELOW else 0.0
