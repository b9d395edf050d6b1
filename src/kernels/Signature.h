// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's fields as parameters and arguments of generated functions.
#pragma once

#include "flow/Program.h"
#include "kernels/Real.h"

#include <string>

namespace heddle::kernels {

/// "const double *temperature, ..., double timeStep": `before` precedes each, `qualifier` after each
/// asterisk.
std::string parametersOf(const flow::Program &program, const Real &real, const char *before,
                         const char *qualifier);
/// "temperature, pressure, ..."
std::string argumentsOf(const flow::Program &program);
/// "!temperature || !pressure || ... || ": fields must be there, and uniform ones positive.
std::string anyNullOf(const flow::Program &program);

} // namespace heddle::kernels
