// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Isa.h"

#include <cstdint>
#include <string>

namespace heddle::vm {
class ParameterNames;
}

namespace heddle::check {

/// What an unknown value depends on, as a set: a bit for each parameter and for each other source of data.
using Origins = uint64_t;

namespace origin {
constexpr unsigned Parameters = 48; ///< those further back share the last bit
constexpr Origins BlockId = Origins(1) << 48, GridSize = Origins(1) << 49, Memory = Origins(1) << 50,
                  Atomic = Origins(1) << 51, Clock = Origins(1) << 52, Vote = Origins(1) << 53,
                  Hardware = Origins(1) << 54, Undefined = Origins(1) << 55, Round = Origins(1) << 56,
                  SharedSize = Origins(1) << 57;

inline Origins parameter(unsigned index) {
  return Origins(1) << (index < Parameters ? index : Parameters - 1);
}

/// What a special register depends on; 0 for those that the launch shape settles.
Origins ofSpecial(ptx::SpecialReg reg);

/// Whether it holds the size of dynamic shared memory, or a sum with it.
bool isSharedSize(ptx::SpecialReg reg);

/// "parameter 'n' and blockIdx"
std::string describe(Origins origins, const vm::ParameterNames &names);
/// "--param n=VALUE --ctaid X,Y,Z"; empty where nothing on the command line can settle it.
std::string hint(Origins origins, const vm::ParameterNames &names);
} // namespace origin

} // namespace heddle::check
