// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program at one point, instruction by instruction. With it a program is tested apart from any code
// that is made of it.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

/// Functions to evaluate with, where they are not those of the library: to see what less exact ones do to
/// results.
struct Functions {
  double (*exp2)(double) = nullptr;
  double (*log2)(double) = nullptr;
  double (*rounded)(double) = nullptr; ///< what is left of a number in fewer digits
};

/// What one instruction makes of its operands; of loads and totals, which have none, nothing.
double evaluate(const Instruction &instruction, const std::vector<double> &operands,
                const Functions &functions = {});

/// fields[f][component]; the results, in the program's order.
std::vector<double> evaluate(const Program &program, const std::vector<std::vector<double>> &fields,
                             const Functions &functions = {});

} // namespace heddle::flow
