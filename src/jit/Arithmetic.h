// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic of f16, bf16, f32 and f64 values with PTX's modifiers (semantics/Float.h).
#pragma once

#include "jit/Formats.h"

namespace heddle::jit {

/// f64 is rounded to nearest only: its other modes need integers of 128 bits.
Bits sumOf(const Bits &a, const Bits &b, const sem::Layout &layout, const Modes &modes);
Bits differenceOf(const Bits &a, const Bits &b, const sem::Layout &layout, const Modes &modes);
Bits productOf(const Bits &a, const Bits &b, const sem::Layout &layout, const Modes &modes);
Bits fusedProductSum(const Bits &a, const Bits &b, const Bits &c, const sem::Layout &layout,
                     const Modes &modes);

/// f32 and f64 only.
Bits quotientOf(const Bits &a, const Bits &b, const sem::Layout &layout, const Modes &modes);
Bits reciprocalOf(const Bits &a, const sem::Layout &layout, const Modes &modes);
Bits rootOf(const Bits &a, const sem::Layout &layout, const Modes &modes);

Bits negated(const Bits &a, const sem::Layout &layout, bool anyNaN = false);
Bits absolute(const Bits &a, const sem::Layout &layout, bool anyNaN = false);

/// What min and max do besides choosing.
struct MinMaxModes {
  bool wantMax = false, ftz = false, propagatesNaN = false, xorSign = false;
};
Bits minMaxOf(const Bits &a, const Bits &b, const sem::Layout &layout, const MinMaxModes &modes);

} // namespace heddle::jit
