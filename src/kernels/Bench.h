// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that times generated functions, whatever kernels and forms they are.
#pragma once

#include "kernels/Emitted.h"

namespace heddle::kernels {

/// `bench.cu`: for each function a line with points, milliseconds (median of 11 runs) and millions of points
/// a second, at 32^3, 64^3 and 128^3 points or at the edges given as arguments. Functions of the host run
/// with one thread, at the smallest edge only.
SourceFile benchProgram(const std::vector<Function> &functions, size_t species);

} // namespace heddle::kernels
