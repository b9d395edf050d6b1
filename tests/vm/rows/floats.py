# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating-point formats by exact rational arithmetic: decode, compute with fractions, round once.

Nothing here knows how the simulator does it. A value is a Fraction, or one of the strings 'nan', '+inf', '-inf';
zeros carry their sign beside them, because a Fraction cannot.
"""
from fractions import Fraction
from math import isqrt


class Format:
    def __init__(self, name, exponent_bits, fraction_bits, nan, has_infinity=True):
        self.name, self.exponent_bits, self.fraction_bits, self.nan = name, exponent_bits, fraction_bits, nan
        self.has_infinity = has_infinity
        self.width = 1 + exponent_bits + fraction_bits
        self.bias = (1 << (exponent_bits - 1)) - 1
        self.sign = 1 << (self.width - 1)
        self.top = (1 << exponent_bits) - 1  # the exponent field of infinities
        self.infinity = self.top << fraction_bits
        self.largest = self.infinity - 1 if has_infinity else self.sign - 2
        self.least_normal = 1 << fraction_bits

    def is_nan(self, bits):
        return (bits & ~self.sign) > (self.infinity if self.has_infinity else self.largest)

    def is_infinite(self, bits):
        return self.has_infinity and (bits & ~self.sign) == self.infinity

    def is_subnormal(self, bits):
        return 0 < (bits & ~self.sign) < self.least_normal

    def is_negative(self, bits):
        return bool(bits & self.sign)

    def value(self, bits):
        """The number behind the bits; not for NaN and infinity."""
        magnitude = bits & ~self.sign
        field, fraction = magnitude >> self.fraction_bits, magnitude & (self.least_normal - 1)
        if field:
            fraction += self.least_normal
        exponent = max(field, 1) - self.bias - self.fraction_bits
        number = fraction * Fraction(2) ** exponent
        return -number if bits & self.sign else number

    def flush(self, bits):
        return bits & self.sign if self.is_subnormal(bits) else bits

    def round(self, number, mode='rn', negative_zero=False, finite=False):
        """The bits nearest to an exact number in one of the modes rn rz rm rp rna."""
        if number == 0:
            return self.sign if negative_zero else 0
        negative, magnitude = number < 0, abs(number)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** exponent > magnitude:
            exponent -= 1
        unit = Fraction(2) ** (max(exponent, 1 - self.bias) - self.fraction_bits)
        count, rest = divmod(magnitude, unit)
        rest /= unit
        half = Fraction(1, 2)
        up = {'rn': rest > half or (rest == half and count % 2 == 1), 'rna': rest >= half, 'rz': False,
              'rm': negative and rest > 0, 'rp': not negative and rest > 0}[mode]
        rounded = (count + up) * unit
        largest = self.value(self.largest)
        if rounded > largest:
            outward = mode in ('rn', 'rna') or (mode == 'rm' and negative) or (mode == 'rp' and not negative)
            bits = self.infinity if outward and self.has_infinity and not finite else self.largest
        else:
            bits = self.encode(rounded)
        return bits | (self.sign if negative else 0)

    def encode(self, magnitude):
        """Bits of a number that the format holds exactly."""
        if magnitude == 0:
            return 0
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** exponent > magnitude:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        significand = magnitude / Fraction(2) ** (exponent - self.fraction_bits)
        assert significand.denominator == 1
        return int(significand) + ((exponent + self.bias - 1) << self.fraction_bits)


F16 = Format('f16', 5, 10, 0x7fff)
BF16 = Format('bf16', 8, 7, 0x7fff)
F32 = Format('f32', 8, 23, 0x7fffffff)
F64 = Format('f64', 11, 52, 0xfff8000000000000)
TF32 = Format('tf32', 8, 10, 0)
E4M3 = Format('e4m3', 4, 3, 0x7f, has_infinity=False)
E5M2 = Format('e5m2', 5, 2, 0x7f)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}


def zero_sign(signs, mode):
    """The sign of a sum that is exactly zero: the common one, else minus under rm alone."""
    return signs[0] if signs[0] == signs[1] else mode == 'rm'


def saturate(fmt, bits):
    """.sat: into [0, 1]; NaN becomes +0."""
    if fmt.is_nan(bits) or fmt.is_negative(bits):
        return 0
    return min(bits, fmt.encode(Fraction(1)))


def fma(fmt, a, b, c, mode='rn', ftz=False, sat=False, relu=False):
    if ftz:
        a, b, c = (fmt.flush(x) for x in (a, b, c))
    product_negative = fmt.is_negative(a) != fmt.is_negative(b)
    infinite_product = fmt.is_infinite(a) or fmt.is_infinite(b)
    if any(fmt.is_nan(x) for x in (a, b, c)):
        bits = fmt.nan
    elif infinite_product and 0 in (a & ~fmt.sign, b & ~fmt.sign):
        bits = fmt.nan
    elif infinite_product and fmt.is_infinite(c) and fmt.is_negative(c) != product_negative:
        bits = fmt.nan
    elif infinite_product:
        bits = fmt.infinity | (fmt.sign if product_negative else 0)
    elif fmt.is_infinite(c):
        bits = c
    else:
        total = fmt.value(a) * fmt.value(b) + fmt.value(c)
        negative_zero = total == 0 and zero_sign((product_negative, fmt.is_negative(c)), mode)
        bits = fmt.round(total, mode, negative_zero)
    if ftz:
        bits = fmt.flush(bits)
    if sat:
        bits = saturate(fmt, bits)
    if relu and not fmt.is_nan(bits) and fmt.is_negative(bits):
        bits = 0
    return bits


def one(fmt):
    return fmt.encode(Fraction(1))


def add(fmt, a, b, **modes):
    return fma(fmt, a, one(fmt), b, **modes)


def sub(fmt, a, b, **modes):
    return add(fmt, a, b ^ fmt.sign if not fmt.is_nan(b) else b, **modes)


def mul(fmt, a, b, **modes):
    # -0 added to a product changes nothing, but +0 under rm does; so the zero takes the product's sign.
    zero = fmt.sign if fmt.is_negative(a) != fmt.is_negative(b) else 0
    return fma(fmt, a, b, zero, **modes)


def div(fmt, a, b, mode='rn', ftz=False):
    if ftz:
        a, b = fmt.flush(a), fmt.flush(b)
    sign = (a ^ b) & fmt.sign
    zero_a, zero_b = not a & ~fmt.sign, not b & ~fmt.sign
    if fmt.is_nan(a) or fmt.is_nan(b) or (zero_a and zero_b) or (fmt.is_infinite(a) and fmt.is_infinite(b)):
        return fmt.nan
    if fmt.is_infinite(a) or zero_b:
        return fmt.infinity | sign
    if fmt.is_infinite(b) or zero_a:
        return sign
    bits = fmt.round(fmt.value(a) / fmt.value(b), mode)
    return fmt.flush(bits) if ftz else bits


def sqrt(fmt, a, mode='rn', ftz=False):
    if ftz:
        a = fmt.flush(a)
    if not a & ~fmt.sign:
        return a
    if fmt.is_nan(a) or fmt.is_negative(a):
        return fmt.nan
    if fmt.is_infinite(a):
        return a
    # Two hundred bits of the root with a sticky bit behind them round like the root itself.
    number = fmt.value(a)
    shift = 2 * (200 + max(0, number.denominator.bit_length()))
    scaled = number * 2 ** shift
    assert scaled.denominator == 1
    root = isqrt(int(scaled))
    sticky = root * root != int(scaled)
    return fmt.round(Fraction(2 * root + sticky, 2 ** (shift // 2 + 1)), mode)


def minmax(fmt, operands, want_max, ftz=False, nan=False, xorsign=False):
    if ftz:
        operands = [fmt.flush(x) for x in operands]
    if len(operands) == 3:
        first = minmax(fmt, operands[:2], want_max, False, nan, xorsign)
        return minmax(fmt, [first, operands[2]], want_max, False, nan, xorsign)
    a, b = operands
    sign = (a ^ b) & fmt.sign
    if xorsign and not (fmt.is_nan(a) or fmt.is_nan(b)):
        a, b = a & ~fmt.sign, b & ~fmt.sign
    elif xorsign:
        return xorsign_nan(fmt, a, b, nan)
    if fmt.is_nan(a) or fmt.is_nan(b):
        both = fmt.is_nan(a) and fmt.is_nan(b)
        return fmt.nan if nan or both else (b if fmt.is_nan(a) else a)

    def key(x):  # -0 counts as less than +0
        return -(x & ~fmt.sign) - 1 if x & fmt.sign else x
    chosen = max(a, b, key=key) if want_max else min(a, b, key=key)
    return chosen | sign if xorsign else chosen


def xorsign_nan(fmt, a, b, nan):
    raise ValueError('PTX does not say what becomes of the sign of a NaN here')


def compare(fmt, op, a, b, ftz=False):
    if ftz:
        a, b = fmt.flush(a), fmt.flush(b)
    unordered = fmt.is_nan(a) or fmt.is_nan(b)
    if op == 'num':
        return not unordered
    if op == 'nan':
        return unordered
    if unordered:
        return op.endswith('u')

    def key(x):
        if fmt.is_infinite(x):
            return Fraction(2) ** 3000 * (-1 if fmt.is_negative(x) else 1)
        return fmt.value(x)
    x, y = key(a), key(b)
    return {'eq': x == y, 'ne': x != y, 'lt': x < y, 'le': x <= y, 'gt': x > y, 'ge': x >= y}[op[:2]]
