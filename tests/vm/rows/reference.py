#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes the expected values of the arithmetic rows of Ops.def, from the text of the PTX ISA alone.

    reference.py FOLDER     writes a *.rows file for each family there

Integers are Python's own (they do not overflow), floats exact fractions (floats.py). Nothing is asked of the
simulator or of src/semantics. Cases.h says how a line reads.
"""
import pathlib
import sys

import bits
import compare
import convert
import integer
import real
import video

FAMILIES = (integer, bits, real, compare, convert, video)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        head = f'# {family.__doc__}\n'
        (folder / f'{family.__name__}.rows').write_text(head + ''.join(f'{line}\n' for line in family.lines()))


if __name__ == '__main__':
    main()
