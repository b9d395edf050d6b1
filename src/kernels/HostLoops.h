// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as loops for the host. Operations of one shape (flow/Shapes.h) are one loop over a table of their
// constants and of places in an array `at`, which holds the values of a block of points; sums are gathered
// from what the operations left there. What is left is little code, which a cache holds, with a loop over
// vectors of points inside of it, whose rounds do not wait for each other.
#pragma once

#include "flow/Program.h"
#include "kernels/Real.h"

#include <string>

namespace heddle::kernels {

struct HostLoops {
  unsigned slots = 0;    ///< elements of `at`
  std::string functions; ///< one for each shape and for sums
  std::string loads;     ///< statements that fill `at` from fields `f.NAME` at point `p`
  std::string calls;     ///< statements that call the functions, in order
};

/// The text needs `Points`, `width` and heddle_host.h.
HostLoops hostLoops(const flow::Program &program, const Real &real);

} // namespace heddle::kernels
