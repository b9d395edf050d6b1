// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Latencies.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace heddle::ptx {
struct Function;
struct Instr;
} // namespace heddle::ptx

namespace heddle::divergence {

/// What PTX has and no GPU: an address that changes its space, a parameter that is an operand of the instructions that use
/// it.
constexpr std::string_view NoInstruction = "nothing";

/// The latency class (arch/Latencies.def) of an instruction of `function`, or NoInstruction. Loads of global
/// memory come out as "ld.global.l1": no instruction states which memory serves them.
std::string_view latencyClassOf(const ptx::Function &function, const ptx::Instr &instr);

/// What global memory is taken to answer from. Regrouping is for kernels that compute: the default is the
/// nearest.
enum class MemoryLevel { L1, L2, Dram };

/// Instructions of a basic block by class.
using ClassCounts = std::map<std::string, uint32_t, std::less<>>;

/// Cycles of basic blocks on one architecture, and how reliable their numbers are.
class BlockLatencies {
public:
  BlockLatencies(const std::optional<arch::LatencyTable> &table, MemoryLevel level)
      : table(table), level(level) {}

  /// lat[b]: the sum over the block's instructions.
  double of(const ClassCounts &instructions);

  /// Instructions (as they are in the code) whose class has cycles of its own, those of a substitute, or
  /// none.
  uint64_t own = 0, substitutedFor = 0, counted = 0;

private:
  const std::optional<arch::LatencyTable> &table;
  MemoryLevel level;
};

} // namespace heddle::divergence
