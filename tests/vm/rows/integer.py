# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic: wraps, saturates, carries."""
from lines import clamp, line, mask, signed, width_of, wrap

INTS = ('u16', 'u32', 'u64', 's16', 's32', 's64')
WORDS = ('u32', 's32', 'u64', 's64')


def operands(kind):
    """Pairs at the edges of the type, and one in the middle."""
    w = width_of(kind)
    top, full, odd = 1 << (w - 1), mask(w), 0x9e3779b97f4a7c15 >> (64 - w)
    return [(5, 3), (full, 1), (top - 1, 1), (top, full), (odd, 0x5a5a5a5a5a5a5a5a & full), (3, full - 6)]


def two(form, kind, compute, pairs=None):
    w = width_of(kind)
    return line(form, [((a, b), (compute(wrap(kind, a), wrap(kind, b)),)) for a, b in pairs or operands(kind)],
                (w, w), (w,))


def halves(compute, kind, a, b):
    half = kind[:3]
    low, high = (compute(wrap(half, a >> s), wrap(half, b >> s)) & 0xffff for s in (0, 16))
    return high << 16 | low


def packed(form, kind, compute):
    pairs = [(0x7fff0001, 0x00018000), (0xffff8000, 0xffffffff), (0x12345678, 0x9abcdef0), (0x00058003, 0x0009fffd)]
    return line(form, [((a, b), (halves(compute, kind, a, b),)) for a, b in pairs], (32, 32), (32,))


def sums():
    for name, op in (('add', lambda a, b: a + b), ('sub', lambda a, b: a - b)):
        for kind in INTS:
            yield two(f'{name}.{kind}', kind, op)
        yield two(f'{name}.sat.s32', 's32', lambda a, b: clamp('s32', op(a, b)))
    for kind in ('u16x2', 's16x2'):
        yield packed(f'add.{kind}', kind, lambda a, b: a + b)


def carried(total, w):
    """Sum and carry; of a difference the borrow."""
    return total & mask(w), int(total < 0 or total > mask(w))


def carries():
    for kind in WORDS:
        w = width_of(kind)
        pairs = [(mask(w), 1), (3, 5), (mask(w), mask(w)), (0, 0)]
        for name, op in (('add', lambda a, b, c: a + b + c), ('sub', lambda a, b, c: a - b - c)):
            yield line(f'{name}.cc.{kind}', [((a, b), carried(op(a, b, 0), w)) for a, b in pairs], (w, w),
                       (w, 'carry'))
            both = [((a, b, c), carried(op(a, b, c), w)) for a, b in pairs for c in (0, 1)]
            yield line(f'{name}c.cc.{kind}', both, (w, w, 'carry'), (w, 'carry'))
            yield line(f'{name}c.{kind}', [(i, o[:1]) for i, o in both], (w, w, 'carry'), (w,))
        yield from products_with_carry(kind, w)


def short_carries():
    """ptxas takes 16-bit types where no carry is written; the carry that is read is that of any sum before."""
    for kind in ('u16', 's16'):
        pairs = [(0xffff, 1), (3, 5), (0x7fff, 0x8000), (0, 0)]
        for name, op in (('add', lambda a, b, c: a + b + c), ('sub', lambda a, b, c: a - b - c)):
            yield line(f'{name}c.{kind}', [((a, b, c), (op(a, b, c) & 0xffff,)) for a, b in pairs for c in (0, 1)],
                       (16, 16, 'carry'), (16,))
        for half in ('lo', 'hi'):
            def part(a, b):
                product = wrap(kind, a) * wrap(kind, b)
                return product >> 16 if half == 'hi' else product
            yield line(f'madc.{half}.{kind}',
                       [((a, b, 7, c), (part(a, b) + 7 + c & 0xffff,)) for a, b in pairs for c in (0, 1)],
                       (16, 16, 16, 'carry'), (16,))


def products_with_carry(kind, w):
    triples = [(mask(w), mask(w), mask(w)), (7, 9, mask(w)), (1 << (w - 1), 2, 5), (0x1234567, 0x89abcdef & mask(w), 1)]
    for half in ('lo', 'hi'):
        def part(a, b):
            product = wrap(kind, a) * wrap(kind, b)
            return (product >> w if half == 'hi' else product) & mask(w)
        plain = [((a, b, c), carried(part(a, b) + c, w)) for a, b, c in triples]
        yield line(f'mad.{half}.cc.{kind}', plain, (w, w, w), (w, 'carry'))
        with_in = [((a, b, c, k), carried(part(a, b) + c + k, w)) for a, b, c in triples for k in (0, 1)]
        yield line(f'madc.{half}.cc.{kind}', with_in, (w, w, w, 'carry'), (w, 'carry'))
        yield line(f'madc.{half}.{kind}', [(i, o[:1]) for i, o in with_in], (w, w, w, 'carry'), (w,))


def products():
    for kind in INTS:
        w = width_of(kind)
        yield two(f'mul.lo.{kind}', kind, lambda a, b: a * b)
        yield two(f'mul.hi.{kind}', kind, lambda a, b: a * b >> w)
        thirds = [(a, b, (a ^ b << 1) & mask(w)) for a, b in operands(kind)]
        for half, shift in (('lo', 0), ('hi', w)):
            yield line(f'mad.{half}.{kind}',
                       [((a, b, c), ((wrap(kind, a) * wrap(kind, b) >> shift) + c,)) for a, b, c in thirds],
                       (w, w, w), (w,))
        if w < 64:
            yield line(f'mul.wide.{kind}', [((a, b), (wrap(kind, a) * wrap(kind, b),)) for a, b in operands(kind)],
                       (w, w), (2 * w,))
            yield line(f'mad.wide.{kind}',
                       [((a, b, c << 7), (wrap(kind, a) * wrap(kind, b) + (c << 7),)) for a, b, c in thirds],
                       (w, w, 2 * w), (2 * w,))
    triples = [(0x7fffffff, 0x7fffffff, 0x7fffffff), (0x80000000, 0x7fffffff, 0x80000000), (0x10000, 0x30000, 0xfffffffe),
               (0x7fffffff, 0x7fffffff, 1)]
    yield line('mad.hi.sat.s32',
               [((a, b, c), (clamp('s32', (signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32)),))
                for a, b, c in triples], (32, 32, 32), (32,))


def of_24_bits():
    pairs = [(0x00ffffff, 0x00ffffff), (0x12345678, 0xfedcba98), (0x00800000, 3), (0xff000005, 7)]
    for kind in ('u32', 's32'):
        def product(a, b):
            return wrap(kind[0] + '24', a) * wrap(kind[0] + '24', b)
        for half, shift in (('lo', 0), ('hi', 16)):
            yield line(f'mul24.{half}.{kind}', [((a, b), (product(a, b) >> shift,)) for a, b in pairs], (32, 32), (32,))
            yield line(f'mad24.{half}.{kind}',
                       [((a, b, 0x70000000), ((product(a, b) >> shift) + 0x70000000,)) for a, b in pairs],
                       (32, 32, 32), (32,))
    yield line('mad24.hi.sat.s32',
               [((a, b, c), (clamp('s32', (signed(a, 24) * signed(b, 24) >> 16) + signed(c, 32)),))
                for a, b in pairs for c in (0x7fffffff, 0x80000000, 9)], (32, 32, 32), (32,))


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def quotients():
    for kind in INTS:
        w = width_of(kind)
        pairs = [p for p in operands(kind) if kind[0] == 'u' or p != (1 << (w - 1), mask(w))]
        yield two(f'div.{kind}', kind, truncated, pairs)
        yield two(f'rem.{kind}', kind, lambda a, b: a - b * truncated(a, b), pairs)
        yield line(f'sad.{kind}',
                   [((a, b, 100), (100 + abs(wrap(kind, a) - wrap(kind, b)),)) for a, b in operands(kind)],
                   (w, w, w), (w,))


def choices():
    for name, op in (('min', min), ('max', max)):
        for kind in INTS:
            yield two(f'{name}.{kind}', kind, op)
        yield two(f'{name}.relu.s32', 's32', lambda a, b: max(op(a, b), 0))
        for kind in ('u16x2', 's16x2'):
            yield packed(f'{name}.{kind}', kind, op)
        yield packed(f'{name}.relu.s16x2', 's16x2', lambda a, b: max(op(a, b), 0))
    for name, op in (('abs', abs), ('neg', lambda a: -a)):
        for kind in ('s16', 's32', 's64'):
            w = width_of(kind)
            yield line(f'{name}.{kind}', [((a,), (op(wrap(kind, a)),)) for a, _ in operands(kind)], (w,), (w,))


def lines():
    for group in (sums, carries, short_carries, products, of_24_bits, quotients, choices):
        yield from group()
