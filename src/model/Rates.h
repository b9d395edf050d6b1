// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

#include <optional>
#include <string_view>

namespace heddle::model {

/// Units of a multiprocessor (Pipes.def). Those before Memory are units of their own; accesses to memory are joined with the passes
/// that they make. A Sequence is several instructions.
enum Pipe { Float, Alu, Double, Special, Tensor, Texture, Atomic, Barrier, Memory, Sequence, Pipes };

/// The unit that executes a class of instructions (arch/Latencies.def), and how many of them the threads of a multiprocessor
/// get done in a cycle: by the architecture's table, or by Pipes.def where that has none.
struct ClassRate {
  Pipe pipe = Alu;
  double perCycle = 0;
};

/// Nothing for classes that take an issue slot and no unit of interest.
std::optional<ClassRate> rateOf(std::string_view cls, const arch::Arch &arch);

} // namespace heddle::model
