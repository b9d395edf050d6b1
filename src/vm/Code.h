// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a kernel that is executed. ptx::Module represents the text; this represents the execution: one handler
// for each instruction, selected by operation, types and modifiers, and operands as locations in memory.
#pragma once

#include "ptx/Module.h"
#include "vm/Launch.h"
#include "vm/Observer.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::semantics {
struct ExternFunction;
}

namespace heddle::vm {

class Warp;
class CompiledCode;
struct Inst;

/// What happens after an instruction.
enum class Flow : uint8_t {
  Next,       ///< on to the next one
  Jumped,     ///< the split's pc was set
  Reschedule, ///< the split's pc was set, and another split may have to go first
  Parked,     ///< the split waits, its pc was set
  Gone,       ///< no lane of the split is left
  Yield,      ///< the split's pc was set; let others run
  AwaitOrder, ///< try this instruction again when all blocks before this one have finished
  Faulted,
};

using Handler = Flow (*)(Warp &, const Inst &, uint32_t mask);

/// The location of an operand: which memory in the top two bits, the byte offset below. A row has 32 lanes side by
/// side; a predicate is one 32-bit mask.
using Loc = uint32_t;
constexpr Loc NoLoc = ~0u;
enum LocBase : uint32_t { InFrame = 0, InConstants = 1u << 30, InSpecials = 2u << 30 };
constexpr uint32_t LocOffset = (1u << 30) - 1;

/// The address space of an instruction. Param of a kernel is read-only global memory.
enum class MemorySpace : uint8_t { Global, Constant, Shared, Local, Generic, Param };
/// What the address offset of an instruction is added to.
enum class AddressForm : uint8_t { Absolute, Reg32, Reg64, Frame, Parameters };

/// Generic addresses that are not host addresses: the top byte identifies the window.
constexpr unsigned WindowShift = 56;
constexpr uint64_t SharedWindow = uint64_t(1) << WindowShift, LocalWindow = uint64_t(2) << WindowShift;
constexpr uint64_t FunctionWindow = uint64_t(4) << WindowShift;
constexpr uint64_t WindowOffset = SharedWindow - 1;

/// What a warp whose lanes are all here may do without the handler (WholeWarps.cpp).
enum class Step : uint8_t {
  Handler, ///< nothing
  Branch,  ///< all lanes go on at `imm` if all of `b` hold (`mode`: none of them), or if there is no `b`
  Barrier, ///< they wait at barrier 0 for all threads of the block
};

struct Inst {
  Handler run = nullptr;
  Loc dst = NoLoc, a = NoLoc, b = NoLoc, c = NoLoc, d = NoLoc;
  int64_t imm = 0; ///< address offset, immediate, jump target
  Loc guard = NoLoc;
  uint32_t order = 0;   ///< lanes with a lower position run first, see Order.h
  uint32_t loopEnd = 0; ///< head of a loop: the position in the order just after the loop; else 0
  uint32_t extra = 0;   ///< first of further operands in Code::locs, or defined by the family
  uint32_t site = 0;    ///< dense within the kernel
  uint32_t ordinal = 0; ///< PTX instructions before this one in the function
  uint8_t guardNegated = 0;
  uint8_t leader = 0; ///< first of a basic block
  uint8_t endsThread = 0;
  uint8_t counts = 1; ///< 0 for helpers that represent no PTX instruction
  uint8_t bytes = 0;  ///< memory: of one element
  uint8_t elements = 1;
  MemorySpace space = MemorySpace::Global;
  AddressForm address = AddressForm::Absolute;
  uint16_t mode = 0; ///< family's own
  Step step = Step::Handler;
};

/// A register in a frame: 32 elements, or a word of bits for a predicate.
struct RegisterRow {
  Loc row = NoLoc;
  unsigned bits = 32;
};

/// What of a Code is executed: interpreted, until there is a compiled form (Engine.h).
struct Tier {
  std::atomic<const CompiledCode *> compiled = nullptr;
  std::atomic<uint64_t> interpreted = 0; ///< warp instructions, counted until compiled code is asked for
  std::atomic<bool> isAsked = false;
  bool isRefused = false; ///< it cannot be compiled; under the lock of CompileQueue.cpp
};

struct Code {
  const ptx::Module *module = nullptr;
  const ptx::Function *function = nullptr;
  std::vector<Inst> insts;
  std::vector<uint32_t> sources;   ///< for each inst its instruction in function->instrs
  std::vector<Loc> locs;           ///< further operands
  std::vector<uint8_t> constants;  ///< rows of immediates
  std::vector<uint32_t> codeBlock; ///< for each leader (by inst) the kernel-wide number of its block; else 0
  std::vector<std::pair<uint32_t, uint32_t>> zeroed; ///< bytes of the frame that may be read before written
  std::unordered_map<uint32_t, std::vector<RegisterRow>>
      stateOfLoop; ///< for each head of a loop (by inst) the registers that may be read from there on
  std::vector<uint32_t> paramPlaces, resultPlaces; ///< of its own parameters and results, in the local frame
  uint32_t frameBytes = 0;
  uint32_t localBytes = 0; ///< .local variables, then call parameters, then own parameters and results
  std::unordered_map<uint32_t, uint32_t> paramOffsets; ///< .param variables in the local frame, by variable
  uint32_t firstSite = 0;
  uint32_t entryPc = 0;
  mutable Tier tiers[3 * ObservedForms];                              ///< by CompiledFor
  mutable std::atomic<bool> wasExecuted = false, wasCompiled = false; ///< at least once, and by compiled code

  const ptx::Instr &sourceOf(const Inst &inst) const {
    return function->instrs[sources[size_t(&inst - insts.data())]];
  }
  uint32_t pcOf(const Inst &inst) const { return uint32_t(&inst - insts.data()); }
};

/// A special register that a warp keeps as a row, filled when the warp starts.
struct SpecialRow {
  ptx::SpecialReg reg;
  uint32_t offset = 0;
  bool wide = false; ///< 64-bit
};

/// Whether blocks of a launch have different values, the same for all threads of a block.
constexpr bool dependsOnBlock(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  switch (reg) {
  case CtaIdX:
  case CtaIdY:
  case CtaIdZ:
  case ClusterIdX:
  case ClusterIdY:
  case ClusterIdZ:
  case ClusterCtaIdX:
  case ClusterCtaIdY:
  case ClusterCtaIdZ:
  case ClusterCtaRank:
  case SmId: return true;
  default: return false;
  }
}

/// Description of a call site: where arguments and results are in the caller's and the callee's local frame.
struct CallSite {
  struct Piece {
    uint32_t callerOffset = 0; ///< in the caller's local frame
    uint32_t bytes = 0;
    Loc reg = NoLoc; ///< argument or result in a register instead
    uint8_t regBytes = 0;
  };
  std::vector<Piece> arguments, results;
  const Code *callee = nullptr; ///< nullptr: indirect, or built in
  uint8_t builtin = 0;          ///< 0: not; else Builtin of ExecCall.cpp
  const semantics::ExternFunction *math = nullptr;
  Loc pointer = NoLoc; ///< indirect: row of 64-bit function addresses
  std::string name;    ///< of the callee
};

class LoadedModuleImpl;

/// A kernel with all functions that it may call.
class Kernel {
public:
  Kernel();
  ~Kernel();

  KernelInfo info;
  LoadedModuleImpl *owner = nullptr;
  const ptx::Function *function = nullptr;
  std::vector<std::unique_ptr<Code>> codes;             ///< the first is the kernel itself
  std::unordered_map<uint64_t, const Code *> byAddress; ///< functions callable through pointers
  std::unordered_map<const ptx::Function *, Code *> byFunction;
  std::vector<CallSite> calls;                   ///< Inst::extra of calls
  std::vector<std::vector<uint32_t>> jumpTables; ///< Inst::extra of brx.idx
  std::vector<SpecialRow> specials;
  uint32_t specialBytes = 0;
  uint32_t dynamicSharedOffset = 0;                     ///< where extern shared arrays begin
  std::unordered_map<uint32_t, uint32_t> sharedOffsets; ///< variable index -> offset
  std::vector<BlockOfCode> codeBlocks;
  bool reservesShared = false; ///< cooperative groups use the shared memory that the driver reserves
  mutable std::vector<std::unique_ptr<CompiledCode>> compiledCodes; ///< under the lock of CompileQueue.cpp

  const Code &entry() const { return *codes.front(); }
};

} // namespace heddle::vm
