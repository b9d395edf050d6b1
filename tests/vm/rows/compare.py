# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare, select, move: set, setp, selp, slct, mov."""
import floats
from floats import BF16, F16, F32, F64, FORMATS
from lines import line, mask, width_of, wrap

INTS = ('u16', 'u32', 'u64', 's16', 's32', 's64')
TESTS = {'eq': lambda a, b: a == b, 'ne': lambda a, b: a != b, 'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b,
         'gt': lambda a, b: a > b, 'ge': lambda a, b: a >= b}
UNSIGNED = {'lo': 'lt', 'ls': 'le', 'hi': 'gt', 'hs': 'ge'}
FLOAT_TESTS = list(TESTS) + [t + 'u' for t in TESTS] + ['num', 'nan']
TRUE = {'u32': mask(32), 's32': mask(32), 'u16': 0xffff, 's16': 0xffff, 'f32': 0x3f800000, 'f16': 0x3c00, 'bf16': 0x3f80}


def int_pairs(kind):
    w = width_of(kind)
    return [(3, 5), (5, 5), (mask(w), 1), (1 << (w - 1), (1 << (w - 1)) - 1)]


def float_pairs(fmt):
    one, tiny, nan = floats.one(fmt), fmt.least_normal // 2, fmt.infinity + 1
    return [(one, one + 1), (one, one), (one | fmt.sign, tiny), (0, fmt.sign), (tiny, 0), (nan, one), (fmt.infinity, one)]


def int_tests(kind):
    yield from ((name, TESTS[name]) for name in (('eq', 'ne') if kind[0] == 'b' else TESTS))
    if kind[0] == 'u':
        yield from ((name, TESTS[same]) for name, same in UNSIGNED.items())


def results(kind):
    """(test, suffix, function of raw operands) for a source type, with its operand pairs."""
    if kind in FORMATS:
        fmt = FORMATS[kind]
        for name in FLOAT_TESTS:
            yield name, '', lambda a, b, n=name: floats.compare(fmt, n, a, b), float_pairs(fmt)
        if kind in ('f16', 'f32'):
            yield 'gt', '.ftz', lambda a, b: floats.compare(fmt, 'gt', a, b, True), float_pairs(fmt)
            yield 'equ', '.ftz', lambda a, b: floats.compare(fmt, 'equ', a, b, True), float_pairs(fmt)
    else:
        for name, test in int_tests(kind):
            yield name, '', lambda a, b, t=test: t(wrap(kind, a), wrap(kind, b)), int_pairs(kind)


JOIN = {'and': lambda a, b: a and b, 'or': lambda a, b: a or b, 'xor': lambda a, b: a != b}


def predicates():
    for kind in INTS + ('b16', 'b32', 'b64', 'f16', 'bf16', 'f32', 'f64'):
        w = width_of(kind)
        for name, suffix, test, pairs in results(kind):
            yield line(f'setp.{name}{suffix}.{kind}', [((a, b), (int(test(a, b)),)) for a, b in pairs], (w, w), (1,))
    for join, op in JOIN.items():
        for kind in ('s32', 'f64'):
            w = width_of(kind)
            test, pairs = next((t, p) for n, _, t, p in results(kind) if n == 'lt')
            # The second destination is the complement of the test, joined with the same predicate.
            cases = [((a, b, q), (int(op(test(a, b), bool(q))), int(op(not test(a, b), bool(q)))))
                     for a, b in pairs for q in (0, 1)]
            yield line(f'setp.lt.{join}.{kind}', cases, (w, w, 1), (1, 1))
    for fmt in (F16, BF16):
        cases = [((a, b), tuple(int(floats.compare(fmt, 'ltu', a >> s & 0xffff, b >> s & 0xffff)) for s in (0, 16)))
                 for a, b in two_halves(fmt)]
        yield line(f'setp.ltu.{fmt.name}x2', cases, (32, 32), (1, 1))


def two_halves(fmt):
    pairs = float_pairs(fmt)
    return [(h[0] << 16 | l[0], h[1] << 16 | l[1]) for l, h in zip(pairs, pairs[1:] + pairs[:1])]


def sets():
    for to in ('u32', 's32', 'f32', 'f16', 'bf16'):
        for kind in INTS + ('b16', 'b32', 'b64', 'f32', 'f64'):
            w = width_of(kind)
            name, _, test, pairs = list(results(kind))[1 if kind[0] == 'b' else 2]
            yield line(f'set.{name}.{to}.{kind}', [((a, b), (test(a, b) * TRUE[to],)) for a, b in pairs], (w, w),
                       (width_of(to),))
    for kind in ('f16', 'bf16'):
        test, pairs = next((t, p) for n, _, t, p in results(kind) if n == 'geu')
        for to in ('u32', 's32', 'u16', 's16', kind) if kind == 'f16' else ('u32', 's32', 'u16', 's16', kind):
            yield line(f'set.geu.{to}.{kind}', [((a, b), (test(a, b) * TRUE[to],)) for a, b in pairs], (16, 16),
                       (width_of(to),))
        for to in (f'{kind}x2', 'u32', 's32'):
            true = TRUE[kind] if 'x2' in to else 0xffff
            cases = [((a, b), (sum(floats.compare(FORMATS[kind], 'geu', a >> s & 0xffff, b >> s & 0xffff) * true << s
                                   for s in (0, 16)),)) for a, b in two_halves(FORMATS[kind])]
            yield line(f'set.geu.{to}.{kind}x2', cases, (32, 32), (32,))
    test, pairs = next((t, p) for n, s, t, p in results('f32') if s == '.ftz')
    for join, op in JOIN.items():
        yield line(f'set.gt.{join}.ftz.u32.f32',
                   [((a, b, q), (op(test(a, b), bool(q)) * mask(32),)) for a, b in pairs for q in (0, 1)], (32, 32, 1),
                   (32,))


SELECTED = INTS + ('b16', 'b32', 'b64', 'f32', 'f64')


def selections():
    for kind in SELECTED:
        w = width_of(kind)
        a, b = 0x8123456789abcdef >> (64 - w), 0x7edcba9876543210 >> (64 - w)
        yield line(f'selp.{kind}', [((a, b, 1), (a,)), ((a, b, 0), (b,))], (w, w, 1), (w,))
        yield line(f'slct.{kind}.s32', [((a, b, c), (a if c < 1 << 31 else b,)) for c in (0, 5, 0x80000000, 0xffffffff)],
                   (w, w, 32), (w,))
        # Not below zero: a; so -0 picks a, a NaN picks b, and .ftz makes a subnormal a zero.
        choose = {0x3f800000: a, 0: a, 0x80000000: a, 0xbf800000: b, 0x80000007: b, 0x7fc00000: b}
        yield line(f'slct.{kind}.f32', [((a, b, c), (d,)) for c, d in choose.items()], (w, w, 32), (w,))
        yield line(f'slct.ftz.{kind}.f32', [((a, b, c), (a if c == 0x80000007 else d,)) for c, d in choose.items()],
                   (w, w, 32), (w,))


def moves():
    yield line('mov.pred', [((a,), (a,)) for a in (0, 1)], (1,), (1,))
    for kind in INTS + ('b16', 'b32', 'b64', 'f16', 'f16x2', 'bf16', 'bf16x2', 'f32', 'f64', 'f32x2', 'b128'):
        w = width_of(kind)
        yield line(f'mov.{kind}', [((v & mask(w),), (v & mask(w),)) for v in (0x0123456789abcdef << 64 | 0xfedcba9876543210, 7)],
                   (w,), (w,))


def lines():
    for group in (predicates, sets, selections, moves):
        yield from group()
