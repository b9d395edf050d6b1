// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/StaticOrigins.h"

#include "support/Text.h"
#include "vm/ParameterNames.h"

#include <fmt/format.h>

#include <vector>

namespace heddle::check::origin {
namespace {

struct Word {
  Origins bit;
  const char *text;
};
constexpr Word Words[] = {
    {BlockId, "blockIdx"},
    {GridSize, "gridDim"},
    {Memory, "data in memory"},
    {Atomic, "the result of an atomic"},
    {Clock, "the clock"},
    {Vote, "votes or shuffles of other threads"},
    {Hardware, "the hardware"},
    {Undefined, "a register that was never set"},
    {Round, "the iteration of a loop"},
    {SharedSize, "the size of dynamic shared memory"},
};

constexpr Origins AllParameters = (Origins(1) << Parameters) - 1;

} // namespace

Origins ofSpecial(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  switch (reg) {
  case TidX:
  case TidY:
  case TidZ:
  case NTidX:
  case NTidY:
  case NTidZ:
  case LaneId:
  case WarpSize:
  case LaneMaskEq:
  case LaneMaskLe:
  case LaneMaskLt:
  case LaneMaskGe:
  case LaneMaskGt:
  case TotalSmemSize:
  case AggrSmemSize:
  case DynamicSmemSize:
  case ReservedSmemBegin:
  case ReservedSmemEnd:
  case ReservedSmemCap:
  case ReservedSmem0:
  case ReservedSmem1:
  // The launch is one without clusters: a block is a cluster of its own.
  case IsExplicitCluster:
  case ClusterCtaIdX:
  case ClusterCtaIdY:
  case ClusterCtaIdZ:
  case ClusterNCtaIdX:
  case ClusterNCtaIdY:
  case ClusterNCtaIdZ:
  case ClusterCtaRank:
  case ClusterNCtaRank: return 0;
  case CtaIdX:
  case CtaIdY:
  case CtaIdZ:
  case ClusterIdX:
  case ClusterIdY:
  case ClusterIdZ: return BlockId;
  case NCtaIdX:
  case NCtaIdY:
  case NCtaIdZ:
  case NClusterIdX:
  case NClusterIdY:
  case NClusterIdZ: return GridSize;
  case Clock:
  case ClockHi:
  case Clock64:
  case GlobalTimer:
  case GlobalTimerLo:
  case GlobalTimerHi: return origin::Clock;
  // %warpid too: PTX lets it change while the thread runs, and does not tie it to the thread's index.
  default: return Hardware;
  }
}

bool isSharedSize(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  return reg == DynamicSmemSize || reg == TotalSmemSize || reg == AggrSmemSize;
}

std::string describe(Origins origins, const vm::ParameterNames &names) {
  // Registers that were never set remain in lanes that do not execute an instruction. With another origin, that one is
  // what a reader can act on.
  if (origins & ~Undefined)
    origins &= ~Undefined;
  std::vector<std::string> parts;
  for (unsigned i = 0; i < Parameters; ++i)
    if (origins & parameter(i))
      parts.push_back(names.describe(i));
  for (const Word &word : Words)
    if (origins & word.bit)
      parts.push_back(word.text);
  return parts.empty() ? "data" : joinAnd(parts);
}

std::string hint(Origins origins, const vm::ParameterNames &names) {
  constexpr Origins Given = AllParameters | BlockId | GridSize | Round | SharedSize;
  if (origins & ~Given || !(origins & ~Round))
    return {};
  std::string text = "heddle check --static"; // by name: opt prints this too, and has no such options
  for (unsigned i = 0; i < Parameters; ++i)
    if (origins & parameter(i))
      text += fmt::format(" --param {}=VALUE", names.option(i));
  if (origins & BlockId)
    text += " --ctaid X,Y,Z";
  if (origins & GridSize)
    text += " --grid X,Y,Z";
  if (origins & SharedSize)
    text += " --shared BYTES";
  return text + " may decide it";
}

} // namespace heddle::check::origin
