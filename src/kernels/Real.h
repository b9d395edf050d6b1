// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that generated code computes with, and how they are written: all that single precision changes
// in a text. Mixed precision has doubles.
#pragma once

#include "kernels/Emitted.h"

namespace heddle::kernels {

struct Real {
  const char *type;      ///< "double"; with a 2 after it, CUDA's pair of them
  const char *fma, *max; ///< CUDA's functions
  bool isFloat;

  unsigned bytes() const { return isFloat ? 4 : 8; }
  /// The shortest decimal number that reads back to the same value: "2.0", "2.0f". As a float, a number too
  /// small becomes the smallest normal one of its sign, so that a guard against zero stays one; too large a
  /// number is a mistake in the generator: std::logic_error.
  std::string literal(double value) const;
};

const Real &realOf(Precision precision);

} // namespace heddle::kernels
