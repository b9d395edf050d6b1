# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bits: counted, found, moved, joined. Every function here goes bit by bit."""
from lines import line, mask, signed, width_of, wrap

PATTERNS = (0, 1, 0x80000000, 0xffffffff, 0x00f0a5c3, 0x7fffffff)


def patterns(w):
    return [p if w <= 32 else (p << 32 | p >> 3) for p in PATTERNS]


def bit(value, place):
    return value >> place & 1


def highest(value, w, sign):
    """The highest place whose bit is not the sign; None where there is none."""
    for place in range(w - 1, -1, -1):
        if bit(value, place) != sign:
            return place
    return None


def counts():
    for w in (32, 64):
        values = patterns(w)
        yield line(f'popc.b{w}', [((v,), (bin(v).count('1'),)) for v in values], (w,), (32,))
        yield line(f'clz.b{w}', [((v,), (w - v.bit_length(),)) for v in values], (w,), (32,))
        yield line(f'brev.b{w}', [((v,), (int(f'{v:0{w}b}'[::-1], 2),)) for v in values], (w,), (w,))
        for kind in (f'u{w}', f's{w}'):
            found = [(v, highest(v, w, bit(v, w - 1) if kind[0] == 's' else 0)) for v in values]
            yield line(f'bfind.{kind}', [((v,), (-1 if p is None else p,)) for v, p in found], (w,), (32,))
            yield line(f'bfind.shiftamt.{kind}', [((v,), (-1 if p is None else w - 1 - p,)) for v, p in found], (w,),
                       (32,))


def nth_set(value, base, offset):
    if offset == 0:
        return base if bit(value, base) else -1
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    hits = [p for p in places if bit(value, p)]
    return hits[abs(offset) - 1] if len(hits) >= abs(offset) else -1


def finds():
    asked = [(0x00f0a5c3, 0, 1), (0x00f0a5c3, 6, 2), (0x00f0a5c3, 23, -3), (0x00f0a5c3, 8, 0), (0x00f0a5c3, 9, 0),
             (0x00f0a5c3, 24, 1), (0, 5, -1)]
    yield line('fns.b32', [((v, b, n), (nth_set(v, b, n),)) for v, b, n in asked], (32, 32, 32), (32,))


def extract(kind, value, position, length):
    w = width_of(kind)
    if length == 0:
        return 0
    sign = bit(value, min(position + length - 1, w - 1)) if kind[0] == 's' else 0
    field = 0
    for i in range(w):
        inside = i < length and position + i < w
        field |= (bit(value, position + i) if inside else sign) << i
    return field


def insert(w, field, value, position, length):
    for i in range(length):
        if position + i < w:
            value = value & ~(1 << (position + i)) | bit(field, i) << (position + i)
    return value


PLACES = ((0, 8), (4, 0), (28, 8), (31, 1), (5, 27), (32, 4), (0, 32), (255, 255), (60, 40), (2, 64))


def fields():
    for w in (32, 64):
        value, into = (0x9c3ba5f1, 0x01234567) if w == 32 else (0x9c3ba5f1c0de8001, 0x0123456789abcdef)
        # Only the low 8 bits of position and length count.
        for kind in (f'u{w}', f's{w}'):
            yield line(f'bfe.{kind}', [((value, p, n), (extract(kind, value, p & 255, n & 255),)) for p, n in PLACES],
                       (w, 32, 32), (w,))
        yield line(f'bfi.b{w}',
                   [((value, into, p, n), (insert(w, value, into, p & 255, n & 255),)) for p, n in PLACES],
                   (w, w, 32, 32), (w,))


def reach(count, mode):
    return count & 31 if mode == 'wrap' else min(count, 32)


def masks():
    for mode in ('wrap', 'clamp'):
        for kind in ('u32', 's32'):
            def extended(value, count):
                n = reach(count, mode)
                return 0 if n == 0 else value if n == 32 else extract(kind, value, 0, n)
            asked = [(0x9c3ba5f1, n) for n in (0, 1, 8, 31, 32, 33, 40)]
            yield line(f'szext.{mode}.{kind}', [((v, n), (extended(v, n),)) for v, n in asked], (32, 32), (32,))
        asked = [(0, 5), (28, 8), (31, 1), (3, 0), (32, 4), (4, 32), (35, 33)]
        yield line(f'bmsk.{mode}.b32',
                   [((p, n), (mask(reach(n, mode)) << reach(p, mode),)) for p, n in asked], (32, 32), (32,))


def dot(a, b, c, parts_a, parts_b):
    return c + sum(x * y for x, y in zip(parts_a(a), parts_b(b)))


def parts(kind, w, first=0, count=4):
    return lambda value: [wrap(f'{kind[0]}{w}', value >> (w * (first + i))) for i in range(count)]


def dots():
    asked = [(0x01020304, 0x05060708, 9), (0xff80017f, 0x7fff8001, 0x80000000), (0xffffffff, 0xffffffff, 0xffffffff)]
    for ta in ('u32', 's32'):
        for tb in ('u32', 's32'):
            yield line(f'dp4a.{ta}.{tb}', [((a, b, c), (dot(a, b, c, parts(ta, 8), parts(tb, 8)),)) for a, b, c in asked],
                       (32, 32, 32), (32,))
            for half, first in (('lo', 0), ('hi', 2)):
                yield line(f'dp2a.{half}.{ta}.{tb}',
                           [((a, b, c), (dot(a, b, c, parts(ta, 16, 0, 2), parts(tb, 8, first, 2)),))
                            for a, b, c in asked], (32, 32, 32), (32,))


def logic():
    table = {'and': lambda a, b: a & b, 'or': lambda a, b: a | b, 'xor': lambda a, b: a ^ b}
    for name, op in table.items():
        yield line(f'{name}.pred', [((a, b), (op(a, b),)) for a in (0, 1) for b in (0, 1)], (1, 1), (1,))
        for w in (16, 32, 64):
            a, b = 0x123456789abcdef0 & mask(w), 0x0ff00ff0f0f0ffff & mask(w)
            yield line(f'{name}.b{w}', [((a, b), (op(a, b),)), ((b, mask(w)), (op(b, mask(w)),))], (w, w), (w,))
    yield line('not.pred', [((a,), (1 - a,)) for a in (0, 1)], (1,), (1,))
    for w in (16, 32, 64):
        values = (0, 1, mask(w), 0x1234)
        yield line(f'not.b{w}', [((v,), (mask(w) - v,)) for v in values], (w,), (w,))
        yield line(f'cnot.b{w}', [((v,), (int(v == 0),)) for v in values], (w,), (w,))


def three(a, b, c, table):
    return sum(bit(table, 4 * bit(a, i) + 2 * bit(b, i) + bit(c, i)) << i for i in range(32))


def tables():
    a, b, c = 0xf0f0a5c3, 0xccccff00, 0xaaaa1234
    for table in (0, 255, 0x96, 0xe8, 0xe4, 0x1d, 0x80):
        yield line('lop3.b32', [((a, b, c, table), (three(a, b, c, table),))], (32, 32, 32, '#'), (32,))
    for join, op in (('and', lambda d, q: d and q), ('or', lambda d, q: d or q)):
        asked = [(a, b, c, q) for q in (0, 1)] + [(0, 0, 0, q) for q in (0, 1)]
        yield line(f'lop3.{join}.b32',
                   [((x, y, z, 0x80, q), (three(x, y, z, 0x80), int(op(three(x, y, z, 0x80) != 0, q))))
                    for x, y, z, q in asked], (32, 32, 32, '#', 1), (32, 1))


def shifts():
    for w in (16, 32, 64):
        value = 0x8123456789abcdef >> (64 - w)
        counts_asked = (0, 1, w - 1, w, w + 1, 256, 0xffffffff)
        yield line(f'shl.b{w}', [((value, n), (value << min(n, w),)) for n in counts_asked], (w, 32), (w,))
        for kind in (f'b{w}', f'u{w}', f's{w}'):
            yield line(f'shr.{kind}', [((value, n), (wrap('s' + kind[1:] if kind[0] == 's' else 'u' + kind[1:], value)
                                                    >> min(n, w),)) for n in counts_asked], (w, 32), (w,))
    low, high = 0x89abcdef, 0x81234567
    both = high << 32 | low
    for mode in ('wrap', 'clamp'):
        asked = [(low, high, n) for n in (0, 1, 8, 31, 32, 33, 100)]
        yield line(f'shf.l.{mode}.b32', [((a, b, n), (both << reach(n, mode) >> 32,)) for a, b, n in asked],
                   (32, 32, 32), (32,))
        yield line(f'shf.r.{mode}.b32', [((a, b, n), (both >> reach(n, mode),)) for a, b, n in asked],
                   (32, 32, 32), (32,))


# The bytes that the modes of prmt pick for c = 0, 1, 2, 3, from the ISA's table, the lowest byte first.
MODES = {
    'f4e': ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    'b4e': ((0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)),
    'rc8': ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    'ecl': ((0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)),
    'ecr': ((0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)),
    'rc16': ((0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)),
}


def permutations():
    a, b = 0x83027190, 0x07f605c4
    of = (a | b << 32).to_bytes(8, 'little')

    def chosen(selectors):
        picked = 0
        for i in range(4):
            s = selectors >> (4 * i) & 15
            byte = of[s & 7]
            picked |= (byte if s < 8 else 0xff * (byte >> 7)) << (8 * i)
        return picked
    yield line('prmt.b32', [((a, b, s), (chosen(s),)) for s in (0x3210, 0x7654, 0x0123, 0xb098, 0xfedc, 0x12345)],
               (32, 32, 32), (32,))
    for mode, rows in MODES.items():
        yield line(f'prmt.b32.{mode}',
                   [((a, b, c), (sum(of[p] << (8 * i) for i, p in enumerate(rows[c & 3])),)) for c in (0, 1, 2, 3, 6)],
                   (32, 32, 32), (32,))


def lines():
    for group in (counts, finds, fields, masks, dots, logic, tables, shifts, permutations):
        yield from group()
