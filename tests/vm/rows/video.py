# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Video instructions on whole words, two halfwords and four bytes. Python's integers have room for every sum."""
from lines import clamp, line, mask, wrap

TYPES = ('u32', 's32')
WORDS = ((0x00000001, 0xffffffff, 5), (0x80000000, 0x7fffffff, 0x80000001), (0x12f48765, 0x7f80ff01, 0xfffffff0),
         (0xff7f0180, 0x8001ff80, 0x7fffffff), (40, 3, 0), (0x00ff00ff, 0xff00ff00, 0x01020304), (0, 0, 0xffffffff))

TWO = {
    'add': lambda a, b: a + b,
    'sub': lambda a, b: a - b,
    'absdiff': lambda a, b: abs(a - b),
    'min': min,
    'max': max,
}
AVERAGE = {'avrg': lambda a, b: (a + b + (1 if a + b >= 0 else 0)) >> 1}
COMPARE = {
    'eq': lambda a, b: a == b,
    'ne': lambda a, b: a != b,
    'lt': lambda a, b: a < b,
    'le': lambda a, b: a <= b,
    'gt': lambda a, b: a > b,
    'ge': lambda a, b: a >= b,
}
SECOND = {'add': lambda t, c: t + c, 'min': min, 'max': max}


def three(form, cases):
    return line(form, [((a, b, c), (d & mask(32),)) for a, b, c, d in cases], (32, 32, 32), (32,))


def two(form, cases):
    return line(form, [((a, b), (d & mask(32),)) for a, b, d in cases], (32, 32), (32,))


def scalars(name, compute, types=TYPES):
    """One operation on words, with and without saturation, alone and combined with c."""
    for d in TYPES:
        for a in TYPES:
            for b in types:
                for sat in ('', '.sat'):
                    def value(x, y):
                        exact = compute(wrap(a, x), wrap(b, y))
                        return clamp(d, exact) if sat else exact
                    form = f'{name[0]}.{d}.{a}.{b}{sat}{name[1]}'
                    yield two(form, [(x, y, value(x, y)) for x, y, _ in WORDS])
                    for word, second in SECOND.items():
                        yield three(f'{form}.{word}', [(x, y, z, second(value(x, y), wrap(d, z))) for x, y, z in WORDS])


def shifts():
    for mode in ('clamp', 'wrap'):
        def reach(n):
            return n & 31 if mode == 'wrap' else min(n, 32)
        yield from scalars(('vshl', f'.{mode}'), lambda a, n: a << reach(n), ('u32',))
        yield from scalars(('vshr', f'.{mode}'), lambda a, n: a >> reach(n), ('u32',))


def sets():
    for a in TYPES:
        for b in TYPES:
            for word, compare in COMPARE.items():
                form = f'vset.{a}.{b}.{word}'
                def value(x, y):
                    return int(compare(wrap(a, x), wrap(b, y)))
                yield two(form, [(x, y, value(x, y)) for x, y, _ in WORDS])
                for name, second in SECOND.items():
                    yield three(f'{form}.{name}', [(x, y, z, second(value(x, y), z)) for x, y, z in WORDS])


def products():
    for d in TYPES:
        for a in TYPES:
            for b in TYPES:
                is_signed = 's32' in (a, b)
                for plus in ('', '.po'):
                    for sat in ('', '.sat'):
                        for scale, shift in (('', 0), ('.shr7', 7), ('.shr15', 15)):
                            def value(x, y, z):
                                third = wrap('s32' if is_signed else 'u32', z)
                                total = wrap(a, x) * wrap(b, y) + third + (1 if plus else 0) >> shift
                                return clamp('s32' if is_signed else 'u32', total) if sat else total
                            yield three(f'vmad.{d}.{a}.{b}{plus}{sat}{scale}',
                                        [(x, y, z, value(x, y, z)) for x, y, z in WORDS])


def lanes_of(kind, word, width):
    return [wrap(f'{kind[0]}{width}', word >> width * i) for i in range(32 // width)]


def joined(values, width):
    return sum((v & mask(width)) << width * i for i, v in enumerate(values))


def lanes(count):
    width = 32 // count
    for name, compute in {**TWO, **AVERAGE}.items():
        for d in TYPES:
            for a in TYPES:
                for b in TYPES:
                    for sat in ('', '.sat'):
                        def values(x, y):
                            exact = [compute(p, q) for p, q in zip(lanes_of(a, x, width), lanes_of(b, y, width))]
                            return [clamp(f'{d[0]}{width}', v) for v in exact] if sat else exact
                        form = f'v{name}{count}.{d}.{a}.{b}{sat}'
                        yield three(form, [(x, y, z, joined(values(x, y), width)) for x, y, z in WORDS])
                        yield three(f'{form}.add', [(x, y, z, sum(values(x, y)) + z) for x, y, z in WORDS])
    for a in TYPES:
        for b in TYPES:
            for word, compare in COMPARE.items():
                def flags(x, y):
                    return [int(compare(p, q)) for p, q in zip(lanes_of(a, x, width), lanes_of(b, y, width))]
                yield three(f'vset{count}.{a}.{b}.{word}', [(x, y, z, joined(flags(x, y), width)) for x, y, z in WORDS])
                yield three(f'vset{count}.{a}.{b}.{word}.add', [(x, y, z, sum(flags(x, y)) + z) for x, y, z in WORDS])


def lines():
    for name, compute in TWO.items():
        yield from scalars((f'v{name}', ''), compute)
    yield from shifts()
    yield from sets()
    yield from products()
    yield from lanes(2)
    yield from lanes(4)
