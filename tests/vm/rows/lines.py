# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a line of a *.rows file is put together."""


def mask(width):
    return (1 << width) - 1


def hexed(value, width):
    """As many digits as the register has room for; a predicate has one."""
    return f'{value & mask(width):0{1 if width == 1 else max(width, 16) // 4}x}'


def signed(value, width):
    value &= mask(width)
    return value - (1 << width) if value >> (width - 1) else value


def width_of(kind):
    return {'pred': 1, 'u16x2': 32, 's16x2': 32, 'f16x2': 32, 'bf16x2': 32, 'f32x2': 64, 'bf16': 16,
            'tf32': 32}.get(kind) or int(kind[1:])


def wrap(kind, value):
    """A register of an integer type as the number that it represents."""
    width = width_of(kind)
    return signed(value, width) if kind[0] == 's' else value & mask(width)


def clamp(kind, value):
    width = width_of(kind)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if kind[0] == 's' else (0, mask(width))
    return max(low, min(high, value))


def line(form, cases, in_widths, out_widths, tolerance=None):
    """form: a b = d; a b = d. Immediate operands have the width '#', a carry 'carry'."""
    def token(value, width):
        if width == '#':
            return f'#{value}'
        if width == 'carry':
            return f'carry:{value}'
        return hexed(value, width)
    texts = []
    for ins, outs in cases:
        left = ' '.join(token(v, w) for v, w in zip(ins, in_widths, strict=True))
        right = ' '.join(token(v, w) for v, w in zip(outs, out_widths, strict=True))
        texts.append(f'{left} = {right}')
    return f'{form}{f" ~{tolerance}" if tolerance else ""}: ' + '; '.join(texts)
