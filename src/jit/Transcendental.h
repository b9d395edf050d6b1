// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp2, log2, sin and cos of f32 values, in double: rounded to f32 they give the bits of the C library's functions.
//
// The library's results are less than two units of the last place of a double from the true ones; those of the polynomials here
// less than 16. Whoever rounds them to f32 gets the same, unless the value is that close to the middle between two f32 numbers:
// for such lanes (one of 2^24) the library is called.
#pragma once

#include "jit/Value.h"

namespace heddle::jit {

Real exp2Of(const Real &a);
Real log2Of(const Real &a);
Real sinOf(const Real &a);
Real cosOf(const Real &a);

} // namespace heddle::jit
