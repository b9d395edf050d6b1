// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the steps of all warps at one point of the grid, in an order that chance decides, with barriers that
// count as the hardware's do. With it a plan is tested apart from any code that is made of it.
#pragma once

#include "partition/WarpPrograms.h"

#include <string>

namespace heddle::partition {

struct Simulated {
  std::vector<double> results; ///< of the program, as flow::evaluate gives them
  std::string fault;           ///< what went wrong, or empty
};

/// Several iterations on the same data, each with rows and registers as the one before left them; the results
/// are those of the last.
Simulated simulate(const flow::Program &program, const Partitioned &partitioned,
                   const std::vector<std::vector<double>> &fields, unsigned seed, unsigned iterations = 1);

} // namespace heddle::partition
