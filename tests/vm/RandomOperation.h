// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <random>
#include <string>

namespace heddle::vm::test {

/// Registers that random kernels compute with. Each class is one family, so that instructions of all types meet in the same ones.
constexpr const char *RandomRegisters = ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .b16 %h<4>; .reg .f32 %f<4>; "
                                        ".reg .f64 %g<2>; .reg .pred %p<4>;\n";

/// One of them that holds a value of so many bits (1 to 64); of a floating-point format preferably one that was declared so.
std::string randomRegister(std::mt19937_64 &random, unsigned bits, bool isFloat);

/// A constant of that width: often a special one, like the largest integer or a NaN.
std::string randomConstant(std::mt19937_64 &random, unsigned bits, bool isFloat);

/// An instruction that computes, with its operands: any form of an arithmetic row of Ops.def that the simulator executes.
std::string randomOperation(std::mt19937_64 &random);

} // namespace heddle::vm::test
