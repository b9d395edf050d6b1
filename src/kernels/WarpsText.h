// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overlaid code of warps as CUDA statements: the body of the loop over tiles of 32 points.
//
// In the text, `warp` and `lane` are a thread's, `me` is the bit of its warp, `c` and `at` are the arrays of
// numbers and indices of its warp, `choices` that of numbers that data choose from, `rows` is shared memory,
// `point` is the lane's point and `isThere` says whether there is such a point.
#pragma once

#include "kernels/Real.h"
#include "partition/Constants.h"

#include <string>

namespace heddle::kernels {

struct WarpsBody {
  std::string text;
  std::vector<bool> usesField; ///< of the program's fields
};

WarpsBody warpsBody(const flow::Program &program, const partition::Overlaid &overlaid,
                    const partition::Constants &constants, const partition::ConstantPlaces &places,
                    const Real &real);

} // namespace heddle::kernels
