// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the C library that emitted code calls. No host has them for vectors: they are approximated in vector code, and
// called lane by lane only where the approximation does not decide the result.
#pragma once

#include "jit/Value.h"
#include "semantics/Format.h"

#include <functional>

namespace heddle::jit {

/// A function of double in one of semantics/Approx.h's instructions.
enum class Function : uint8_t { Exp2, Log2, Sin, Cos, Tanh };

/// An approximation, and in which lanes the function must be called instead of using it.
struct Approximation {
  Real value;
  Bits undecided;
};

/// The function as the C library computes it, in each lane.
Real called(const Real &a, Function function);

/// The function in each lane, such that it gives the bits of `called` once it is rounded to f32. `approximate` is emitted for vectors.
Real approximated(const Real &a, Function function, const std::function<Approximation(Real)> &approximate);

} // namespace heddle::jit
