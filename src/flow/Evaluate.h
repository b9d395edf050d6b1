// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program at one point, instruction by instruction. With it a program is tested apart from any code
// that is made of it.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

/// fields[f][component]; the results, in the program's order.
std::vector<double> evaluate(const Program &program, const std::vector<std::vector<double>> &fields);

} // namespace heddle::flow
