# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions: between integers, to and from floats in every rounding, saturated, packed."""
from fractions import Fraction

import floats
from floats import BF16, E4M3, E5M2, F16, F32, F64, FORMATS, TF32
from lines import clamp, line, mask, signed, width_of, wrap

INTS = ('u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64')
MODES = ('rn', 'rz', 'rm', 'rp')


def register(kind):
    """8-bit values are held in 32-bit registers here, so that extension and stray upper bits show."""
    return max(32, width_of(kind)) if width_of(kind) == 8 else width_of(kind)


def integers(kind):
    w = width_of(kind)
    stray = 0xa5a5a500 if w == 8 else 0
    return [stray | v for v in (0, 1, (1 << (w - 1)) - 1, 1 << (w - 1), mask(w), 0x5678 & mask(w))]


def between_integers():
    for to in INTS:
        for kind in INTS:
            plain = [((v,), (wrap(to, wrap(kind, v)),)) for v in integers(kind)]
            yield line(f'cvt.{to}.{kind}', plain, (register(kind),), (register(to),))
            if to == kind:
                continue
            cut = [((v,), (clamp(to, wrap(kind, v)),)) for v in integers(kind)]
            yield line(f'cvt.sat.{to}.{kind}', cut, (register(kind),), (register(to),))


def from_integers():
    values = {8: (0, 1, 200), 16: (0, 1, 0xfff1, 0x8003), 32: (0, 1, 0x01000001, 0xfffffffd, 0x80000001, 0x7fffffbf),
              64: (0, 1, 0x0020000000000001, 0xfffffffffffffffd, 0x8000000000000401, 0x7fffffffffffffff)}
    for fmt in (F16, BF16, F32, F64):
        for kind in INTS:
            for mode in MODES:
                cases = [((v,), (fmt.round(Fraction(wrap(kind, v)), mode),)) for v in values[width_of(kind)]]
                yield line(f'cvt.{mode}.{fmt.name}.{kind}', cases, (register(kind),), (fmt.width,))
    one = {F32: 0x3f800000, F64: 0x3ff0000000000000, F16: 0x3c00}
    for fmt, bits in one.items():
        cases = [((v,), (bits if signed(v, 32) > 0 else 0,)) for v in (0, 1, 7, 0xffffffff)]
        yield line(f'cvt.rn.sat.{fmt.name}.s32', cases, (32,), (fmt.width,))


def integral(number, mode):
    floor = number.numerator // number.denominator
    rest = number - floor
    if mode == 'rm' or rest == 0:
        return floor
    if mode == 'rp':
        return floor + 1
    if mode == 'rz':
        return floor if number > 0 else floor + 1
    half = Fraction(1, 2)
    return floor + (rest > half or (rest == half and floor % 2 == 1))


def reals(fmt):
    return [fmt.round(Fraction(x)) for x in (0.5, 1.5, -0.5, -2.5, 2.75, -3.25, 100, -129, 300)] + [
        fmt.largest, fmt.largest | fmt.sign, fmt.infinity, fmt.infinity | fmt.sign, fmt.sign, 1]


def to_integer(fmt, bits, to, mode):
    if fmt.is_nan(bits):
        # PTX ISA: zero, or the top bit alone where either side has 64 bits.
        return 1 << (width_of(to) - 1) if fmt is F64 or width_of(to) == 64 else 0
    if fmt.is_infinite(bits):
        return clamp(to, -(1 << 70) if fmt.is_negative(bits) else 1 << 70)
    return clamp(to, integral(fmt.value(bits), mode))


def to_integers():
    for fmt in (F16, BF16, F32, F64):
        for to in INTS:
            for mode in MODES:
                cases = [((v,), (to_integer(fmt, v, to, mode),)) for v in reals(fmt) + [fmt.infinity + 1]]
                cases = [(i, (wrap(to, o[0]),)) for i, o in cases]
                yield line(f'cvt.{mode}i.{to}.{fmt.name}', cases, (fmt.width,), (register(to),))
    flushed = [((v,), (to_integer(F32, F32.flush(v), 's32', 'rp'),)) for v in (1, 0x00800000, 0x007fffff)]
    yield line('cvt.rpi.ftz.s32.f32', flushed, (32,), (32,))
    yield line('cvt.rzi.sat.u8.f32', [((v,), (to_integer(F32, v, 'u8', 'rz'),)) for v in reals(F32)], (32,), (32,))


def to_integral_values():
    for fmt in (F16, BF16, F32, F64):
        for mode in MODES:
            cases = []
            for v in reals(fmt):
                if fmt.is_infinite(v):
                    cases.append(((v,), (v,)))
                else:
                    cases.append(((v,), (fmt.round(Fraction(integral(fmt.value(v), mode)), 'rn', fmt.is_negative(v)),)))
            yield line(f'cvt.{mode}i.{fmt.name}.{fmt.name}', cases, (fmt.width,), (fmt.width,))
    yield line('cvt.rpi.ftz.f32.f32', [((1,), (0,)), ((0x80000001,), (0x80000000,)), ((0x3f000000,), (0x3f800000,))],
               (32,), (32,))
    yield line('cvt.rni.sat.f32.f32', [((0x40200000,), (0x3f800000,)), ((0xc0200000,), (0,)), ((0x7fc00000,), (0,))],
               (32,), (32,))


def carried_nan(source, to, bits):
    """The sign and the top of the payload, made quiet: what an H200 gives between f64 and the other formats."""
    shift = to.fraction_bits - source.fraction_bits
    fraction = bits & (source.least_normal - 1)
    fraction = fraction << shift if shift > 0 else fraction >> -shift
    return (to.sign if source.is_negative(bits) else 0) | to.infinity | to.least_normal >> 1 | fraction


def converted(source, to, bits, mode='rn', ftz=False, sat=False, relu=False):
    if ftz and source is F32:
        bits = source.flush(bits)
    if source.is_nan(bits):
        if source is BF16 and to is F32:
            made = bits << 16  # a bf16 is the upper half of an f32
        else:
            made = carried_nan(source, to, bits) if F64 in (source, to) else to.nan
    elif source.is_infinite(bits):
        made = to.infinity | (to.sign if source.is_negative(bits) else 0)
    else:
        made = to.round(source.value(bits), mode, source.is_negative(bits))
    if ftz and to is F32:
        made = to.flush(made)
    if sat:
        made = floats.saturate(to, made)
    if relu:
        made = to.nan if to.is_nan(made) else 0 if to.is_negative(made) else made
    return made


def samples(fmt):
    """Numbers that other formats round, overflow on, or lose."""
    numbers = [Fraction(1, 3), Fraction(-1, 3), Fraction(65519), Fraction(-65520), 1 + Fraction(1, 2 ** 11), Fraction(2) ** -25,
               Fraction(3, 4), Fraction(2)]
    wide = [Fraction(2) ** 128, -(2 ** 128 - Fraction(2) ** 103), Fraction(3, 2) * Fraction(2) ** -140] if fmt is F64 else []
    bits = [fmt.round(n) for n in numbers + wide]
    nans = [fmt.infinity + 1, fmt.infinity | fmt.sign | fmt.least_normal >> 1 | 3 << (fmt.fraction_bits - 4), fmt.sign - 1]
    return bits + [0, fmt.sign, fmt.infinity, fmt.infinity | fmt.sign, fmt.largest, 1] + nans


def between_floats():
    def form(words, source, to, **modes):
        cases = [((v,), (converted(source, to, v, **modes),)) for v in samples(source)]
        return line(f'cvt{words}.{to.name}.{source.name}', cases, (source.width,), (to.width,))
    for mode in MODES:
        for source, to in ((F64, F32), (F32, F16), (F64, F16), (F64, BF16)):
            yield form(f'.{mode}', source, to, mode=mode)
        yield form(f'.{mode}.ftz', F64, F32, mode=mode, ftz=True)
        yield form(f'.{mode}.sat', F64, F32, mode=mode, sat=True)
        yield form(f'.{mode}', F32, BF16, mode=mode)
        yield form(f'.{mode}.ftz', F32, F16, mode=mode, ftz=True)
    for mode in ('rn', 'rz'):
        for to in (F16, BF16):
            yield form(f'.{mode}.relu', F32, to, mode=mode, relu=True)
    for source, to in ((F32, F64), (F16, F32), (F16, F64), (BF16, F32), (BF16, F64)):
        yield form('', source, to)
    yield form('.ftz', F32, F64, ftz=True)
    yield form('.sat', F32, F64, sat=True)
    yield form('.sat', F16, F32, sat=True)
    yield form('.sat', F64, F64, sat=True)
    yield form('.ftz', F32, F32, ftz=True)
    yield form('.sat', F32, F32, sat=True)
    yield form('.ftz.sat', F32, F32, ftz=True, sat=True)


def tf32(bits, mode, relu=False):
    if F32.is_nan(bits):
        # sm_90: .rna cuts a NaN's bits like a number's; the later forms give one NaN.
        return bits & ~0x1fff if mode == 'rna' else 0x7fffe000
    if relu and F32.is_negative(bits):
        return 0
    if F32.is_infinite(bits):
        return bits
    return TF32.round(F32.value(bits), mode, F32.is_negative(bits)) << 13


def pairs(fmt):
    values = [v for v in samples(fmt)]
    return list(zip(values, values[3:] + values[:3]))


def packed():
    for mode in ('rna', 'rn', 'rz'):
        yield line(f'cvt.{mode}.tf32.f32', [((v,), (tf32(v, mode),)) for v in samples(F32)], (32,), (32,))
    for mode in ('rn', 'rz'):
        yield line(f'cvt.{mode}.relu.tf32.f32', [((v,), (tf32(v, mode, True),)) for v in samples(F32)], (32,), (32,))
        for to in (F16, BF16):
            for word, relu in (('', False), ('.relu', True)):
                both = lambda a, b: tuple(converted(F32, to, v, mode, relu=relu) for v in (a, b))
                cases = [((a, b), (both(a, b)[0] << 16 | both(a, b)[1],)) for a, b in pairs(F32)]
                yield line(f'cvt.{mode}{word}.{to.name}x2.f32', cases, (32, 32), (32,))
    for fmt in (E4M3, E5M2):
        yield from bytes_of(fmt)


def to_byte(source, fmt, bits, relu):
    if source.is_nan(bits):
        return fmt.nan
    if relu and source.is_negative(bits):
        return 0
    if source.is_infinite(bits):
        return fmt.largest | (fmt.sign if source.is_negative(bits) else 0)
    return fmt.round(source.value(bits), 'rn', source.is_negative(bits), finite=True)


def from_byte(fmt, bits, relu):
    if fmt.is_nan(bits):
        return F16.nan
    if relu and fmt.is_negative(bits):
        return 0
    if fmt.is_infinite(bits):
        return F16.infinity | (F16.sign if fmt.is_negative(bits) else 0)
    return F16.round(fmt.value(bits), 'rn', fmt.is_negative(bits))


def bytes_of(fmt):
    for word, relu in (('', False), ('.relu', True)):
        cases = [((a, b), (to_byte(F32, fmt, a, relu) << 8 | to_byte(F32, fmt, b, relu),)) for a, b in pairs(F32)]
        yield line(f'cvt.rn.satfinite{word}.{fmt.name}x2.f32', cases, (32, 32), (16,))
        halves = [((a << 16 | b,), (to_byte(F16, fmt, a, relu) << 8 | to_byte(F16, fmt, b, relu),)) for a, b in pairs(F16)]
        yield line(f'cvt.rn.satfinite{word}.{fmt.name}x2.f16x2', halves, (32,), (16,))
        back = [(v, v ^ 0x85) for v in (0x00, 0x01, 0x38, 0xbc, 0x7b, 0x7c, 0x7e, 0x7f, 0x87, 0xff)]
        yield line(f'cvt.rn{word}.f16x2.{fmt.name}x2',
                   [((a << 8 | b,), (from_byte(fmt, a, relu) << 16 | from_byte(fmt, b, relu),)) for a, b in back], (16,),
                   (32,))


def narrow_pairs():
    asked = [(5, 0xfffffffd), (0x7fffffff, 0x80000000), (1, 2), (300, 0xfffffed4)]
    for bits in (16, 8, 4, 2):
        for kind in (f'u{bits}', f's{bits}'):
            def joined(a, b, c):
                low, high = (clamp(kind, signed(v, 32)) & mask(bits) for v in (b, a))
                return (c << 2 * bits | high << bits | low) & mask(32)
            if bits == 16:
                yield line(f'cvt.pack.sat.{kind}.s32', [((a, b), (joined(a, b, 0),)) for a, b in asked], (32, 32), (32,))
            else:
                yield line(f'cvt.pack.sat.{kind}.s32.b32',
                           [((a, b, 0x12345678), (joined(a, b, 0x12345678),)) for a, b in asked], (32, 32, 32), (32,))


# Forms that the table reads and the simulator does not run: they must be refused by name, never guessed.
REFUSED = '''cvt.rna.satfinite.tf32.f32 !: 00000000 = 00000000
cvt.rn.satfinite.f16x2.f32 !: 00000000 00000000 = 00000000
cvt.rs.f16x2.f32 !: 00000000 00000000 00000000 = 00000000
cvt.rs.bf16x2.f32 !: 00000000 00000000 00000000 = 00000000
cvt.rn.satfinite.e2m1x2.f32 !: 00000000 00000000 = 0000
cvt.rn.f16x2.e2m1x2 !: 0000 = 00000000
cvt.rn.satfinite.e2m3x2.f32 !: 00000000 00000000 = 0000
cvt.rn.satfinite.e3m2x2.f32 !: 00000000 00000000 = 0000
cvt.rz.satfinite.ue8m0x2.f32 !: 00000000 00000000 = 0000
cvt.rz.satfinite.ue8m0x2.bf16x2 !: 00000000 = 0000
cvt.rn.f16x2.e2m3x2 !: 0000 = 00000000
cvt.rn.f16x2.e3m2x2 !: 0000 = 00000000
cvt.rn.bf16x2.ue8m0x2 !: 0000 = 00000000'''


def lines():
    for group in (between_integers, from_integers, to_integers, to_integral_values, between_floats, packed, narrow_pairs):
        yield from group()
    yield from REFUSED.splitlines()
