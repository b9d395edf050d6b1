# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floating point: every rounding of f32 and f64, f16 and bf16 single and packed, .ftz, .sat, .relu, .approx."""
import math
from fractions import Fraction

import floats
from floats import BF16, F16, F32, F64
from lines import line

MODES = ('rn', 'rz', 'rm', 'rp')


def of(fmt, number):
    return fmt.round(Fraction(number)) if number else 0


def nan_of(fmt):
    return fmt.infinity | 1 | fmt.least_normal >> 1


def pairs(fmt, nan=True):
    one, ulp = of(fmt, 1), of(fmt, Fraction(1, 2 ** (fmt.fraction_bits + 2)))
    third, tenth = of(fmt, Fraction(1, 3)), of(fmt, Fraction(1, 10))
    tiny = fmt.least_normal // 2 + 1
    found = [(one, ulp), (one | fmt.sign, ulp), (third, tenth), (third | fmt.sign, tenth), (fmt.largest, fmt.largest),
             (tiny, one), (tiny | fmt.sign, tiny - 1), (fmt.infinity, fmt.infinity | fmt.sign), (one, one), (0, fmt.sign),
             (fmt.least_normal, tiny | fmt.sign), (fmt.infinity, 0)]
    return found + ([(nan_of(fmt), one), (tenth, nan_of(fmt) | fmt.sign)] if nan else [])


def triples(fmt, nan=True):
    extra = of(fmt, Fraction(-1, 7))
    return [(a, b, c) for (a, b), c in zip(pairs(fmt, nan), [extra, of(fmt, 2), fmt.sign, 0] * 4)]


def two_in_one(fmt, compute, lists):
    """Packed cases: neighbours of the list side by side."""
    w = fmt.width
    cases = []
    for low, high in zip(lists, lists[1:] + lists[:1]):
        ins = tuple(h << w | l for l, h in zip(low, high))
        cases.append((ins, (compute(*high) << w | compute(*low),)))
    return cases


def forms(name, fmt, suffix, compute, lists):
    """The scalar line and the packed one."""
    n = len(lists[0])
    yield line(f'{name}{suffix}.{fmt.name}', [(ins, (compute(*ins),)) for ins in lists], (fmt.width,) * n, (fmt.width,))
    if fmt is not F64:
        w = 2 * fmt.width
        yield line(f'{name}{suffix}.{fmt.name}x2', two_in_one(fmt, compute, lists), (w,) * n, (w,))


def scalar(name, fmt, suffix, compute, lists):
    yield next(forms(name, fmt, suffix, compute, lists))


OPS = {'add': floats.add, 'sub': floats.sub, 'mul': floats.mul, 'fma': floats.fma}


def arithmetic():
    for name, op in OPS.items():
        lists = triples if name == 'fma' else pairs
        for mode in MODES:
            both = lambda fmt, **m: lambda *v: op(fmt, *v, mode=mode, **m)
            # A NaN operand of f64 goes through with its payload, of which PTX says nothing.
            yield from forms(name, F64, f'.{mode}', both(F64), lists(F64, nan=False))
            yield from forms(name, F32, f'.{mode}', both(F32), lists(F32))
            yield from forms(name, F32, f'.{mode}.ftz', both(F32, ftz=True), lists(F32))
            yield from scalar(name, F32, f'.{mode}.sat', both(F32, sat=True), lists(F32))
            yield from scalar(name, F32, f'.{mode}.ftz.sat', both(F32, ftz=True, sat=True), lists(F32))
        for mode in ('', '.rn') if name != 'fma' else ('.rn',):
            yield from forms(name, F16, mode, lambda *v: op(F16, *v), lists(F16))
            yield from forms(name, BF16, mode, lambda *v: op(BF16, *v), lists(BF16))
        for suffix, modes in (('.ftz', {'ftz': True}), ('.sat', {'sat': True}), ('.ftz.sat', {'ftz': True, 'sat': True})):
            yield from forms(name, F16, f'.rn{suffix}', lambda *v: op(F16, *v, **modes), lists(F16))
    for fmt in (F16, BF16):
        yield from forms('fma', fmt, '.rn.relu', lambda *v: floats.fma(fmt, *v, relu=True), triples(fmt))
    yield from forms('fma', F16, '.rn.ftz.relu', lambda *v: floats.fma(F16, *v, ftz=True, relu=True), triples(F16))
    for name in ('add', 'sub', 'mul'):
        yield from scalar(name, F32, '', lambda *v: OPS[name](F32, *v), pairs(F32))
        yield from scalar(name, F64, '', lambda *v: OPS[name](F64, *v), pairs(F64, nan=False))
    yield from scalar('mad', F32, '.rz', lambda *v: floats.fma(F32, *v, mode='rz'), triples(F32))
    yield from scalar('mad', F32, '.rn.ftz.sat', lambda *v: floats.fma(F32, *v, ftz=True, sat=True), triples(F32))
    yield from scalar('mad', F64, '.rp', lambda *v: floats.fma(F64, *v, mode='rp'), triples(F64, nan=False))


def divisions():
    for mode in MODES:
        for fmt in (F32, F64):
            nan = fmt is F32
            for suffix, ftz in (('', False), ('.ftz', True)) if nan else (('', False),):
                divide = lambda a, b: floats.div(fmt, a, b, mode, ftz)
                yield from scalar('div', fmt, f'.{mode}{suffix}', divide, pairs(fmt, nan))
                firsts = [(a,) for a, _ in pairs(fmt, nan)] + [(of(fmt, 3),), (of(fmt, -5),)]
                yield from scalar('rcp', fmt, f'.{mode}{suffix}', lambda a: divide(floats.one(fmt), a), firsts)
                if fmt is F64:  # .ftz changes nothing here: ptxas makes the same code
                    yield from scalar('rcp', fmt, f'.{mode}.ftz', lambda a: divide(floats.one(fmt), a), firsts)
                yield from scalar('sqrt', fmt, f'.{mode}{suffix}', lambda a: floats.sqrt(fmt, a, mode, ftz), firsts)


def signs():
    for fmt in (F16, BF16, F32, F64):
        firsts = [(a,) for a, _ in pairs(fmt, nan=False)]
        both = {'abs': lambda a: a & ~fmt.sign, 'neg': lambda a: a ^ fmt.sign}
        for name, op in both.items():
            for suffix in ('', '.ftz') if fmt in (F16, F32) else ('',):
                flushed = lambda a: op(fmt.flush(a) if suffix else a)
                made = forms(name, fmt, suffix, flushed, firsts)
                yield from [next(made)] if fmt is F32 else made
    for fmt in (F32, F64):
        yield from scalar('copysign', fmt, '', lambda a, b: a & fmt.sign | b & ~fmt.sign, pairs(fmt, nan=False))
        for name, holds in CLASSES.items():
            yield line(f'testp.{name}.{fmt.name}', [((a,), (int(holds(fmt, a)),)) for a, _ in pairs(fmt)],
                       (fmt.width,), (1,))


def is_finite(fmt, a):
    return not fmt.is_nan(a) and not fmt.is_infinite(a)


CLASSES = {'finite': is_finite, 'infinite': lambda f, a: f.is_infinite(a), 'number': lambda f, a: not f.is_nan(a),
           'notanumber': lambda f, a: f.is_nan(a), 'normal': lambda f, a: is_finite(f, a) and not f.is_subnormal(a),
           'subnormal': lambda f, a: f.is_subnormal(a)}


def choices():
    for name, most in (('min', False), ('max', True)):
        for fmt in (F16, BF16, F32, F64):
            for suffix, modes in (('', {}), ('.ftz', {'ftz': True}), ('.NaN', {'nan': True}),
                                  ('.xorsign.abs', {'xorsign': True}), ('.ftz.NaN.xorsign.abs', dict(ftz=True, nan=True, xorsign=True))):
                if (fmt is F64 and suffix) or (fmt is BF16 and 'ftz' in suffix):
                    continue
                lists = pairs(fmt, nan=fmt is not F64 and 'xorsign' not in suffix)
                made = forms(name, fmt, suffix, lambda a, b: floats.minmax(fmt, [a, b], most, **modes), lists)
                yield from [next(made)] if fmt in (F32, F64) else made
        for suffix, modes in (('', {}), ('.NaN', {'nan': True}), ('.ftz', {'ftz': True})):
            yield from scalar(name, F32, suffix, lambda *v: floats.minmax(F32, list(v), most, **modes), triples(F32))


def approximations():
    """Ulps of the form's error bound in the PTX ISA, for results where that is a bound in ulps."""
    def near(function, fmt, xs):
        return [((of(fmt, x),), (of(fmt, Fraction(function(float(fmt.value(of(fmt, x)))))),)) for x in xs]
    w = 32
    inf, nan, minus = F32.infinity, F32.nan, F32.sign
    specials = {'rcp': [(0, inf), (minus, inf | minus), (inf, 0), (inf | minus, minus), (nan, nan)],
                'sqrt': [(0, 0), (minus, minus), (inf, inf), (0xbf800000, nan), (nan, nan)],
                'rsqrt': [(0, inf), (minus, inf | minus), (inf, 0), (0xbf800000, nan), (nan, nan)],
                'sin': [(0, 0), (minus, minus), (inf, nan), (nan, nan)],
                'cos': [(0, 0x3f800000), (minus, 0x3f800000), (inf, nan), (nan, nan)],
                'lg2': [(0, inf | minus), (minus, inf | minus), (inf, inf), (0xbf800000, nan), (nan, nan)],
                'ex2': [(0, 0x3f800000), (inf, inf), (inf | minus, 0), (nan, nan)],
                'tanh': [(0, 0), (minus, minus), (inf, 0x3f800000), (inf | minus, 0xbf800000), (nan, nan)]}
    functions = {'rcp': (lambda x: 1 / x, 1, (3, -0.7, 1e30)), 'sqrt': (math.sqrt, 1, (2, 0.3, 1e30)),
                 'rsqrt': (lambda x: 1 / math.sqrt(x), 2, (2, 0.3, 1e30)), 'sin': (math.sin, 12, (1, 2, -0.8)),
                 'cos': (math.cos, 12, (0.3, 0.9, -3)), 'lg2': (math.log2, 2, (3, 10, 1e-5)),
                 'ex2': (lambda x: 2 ** x, 2, (0.5, -3.25, 100.1)), 'tanh': (math.tanh, 4096, (0.5, -2, 0.1))}
    for name, (function, ulps, xs) in functions.items():
        for suffix in ('', '.ftz') if name != 'tanh' else ('',):
            cases = [((a,), (d,)) for a, d in specials[name]] + near(function, F32, xs)
            if suffix and name != 'ex2':  # a subnormal operand is a zero of its sign
                cases += [((0x00000007 | a,), (d,)) for a, d in specials[name][:2] if not a & ~minus]
            yield line(f'{name}.approx{suffix}.f32', cases, (w,), (w,), ulps)
    quotients = [((of(F32, a), of(F32, b)), (floats.div(F32, of(F32, a), of(F32, b)),)) for a, b in ((1, 3), (-7, 0.1), (2e30, 5))]
    quotients += [((0x3f800000, 0), (inf,)), ((0, 0), (nan,)), ((inf, inf), (nan,)), ((0x40000000, inf), (0,))]
    for suffix in ('.approx', '.approx.ftz', '.full', '.full.ftz'):
        yield line(f'div{suffix}.f32', quotients, (w, w), (w,), 2)
    # f16: relative 2^-9.9 (ex2) and 2^-10.987 absolute (tanh); bf16: 2^-7 and 2^-8: two units are above all of them.
    for fmt in (F16, BF16):
        for name, xs in (('ex2', (0.5, -3.25, 7)), ('tanh', (0.75, -2, 1.5))):
            suffix = '.ftz' if name == 'ex2' and fmt is BF16 else ''
            function = functions[name][0]
            cases = near(function, fmt, xs) + [((nan_of(fmt),), (fmt.nan,))]
            yield line(f'{name}.approx{suffix}.{fmt.name}', cases, (16,), (16,), 2)
            pairs_of = [((h[0] << 16 | l[0],), (h[1] << 16 | l[1],)) for l, h in
                        zip([(i[0], o[0]) for i, o in cases[:3]], [(i[0], o[0]) for i, o in cases[1:3] + cases[:1]])]
            yield line(f'{name}.approx{suffix}.{fmt.name}x2', pairs_of, (32,), (32,), 2)
    yield line('ex2.approx.f16', near(functions['ex2'][0], F16, (1, -4.5)), (16,), (16,), 2)
    # The double forms are good to 2^-20 and 2^-21: only powers of four have bits that are known.
    exact = [(of(F64, x),) for x in (4, 0.0625, 2 ** 40)]
    yield line('rcp.approx.ftz.f64', [((a,), (floats.div(F64, floats.one(F64), a),)) for a, in exact], (64,), (64,))
    root = lambda a: floats.div(F64, floats.one(F64), floats.sqrt(F64, a))
    for suffix in ('', '.ftz'):
        yield line(f'rsqrt.approx{suffix}.f64', [((a,), (root(a),)) for a, in exact], (64,), (64,))


def lines():
    for group in (arithmetic, divisions, signs, choices, approximations):
        yield from (text for text in group() if text)
