// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX that a compiler makes of `tile[row][k] * ... + tile[row][k + 1] * ...` has a load of 4 bytes for each element. ptxas decides where
// shared memory begins, so it knows how addresses in it are aligned, also where the PTX asks for 4 bytes only, and loads 16 bytes at
// once: the inner loop of a tiled matrix product with a 16 by 16 tile has 32 loads in the PTX and 20 in the machine code (CUDA 13.0).
// Loads of global memory stay as they are, since nobody knows the alignment of a parameter.
//
//  1. Trailing zeros of each register are computed: of constants, shifts, products and sums; the least of all writers in a loop.
//  2. In a basic block, loads with one base register are collected until something may change shared memory.
//  3. Of each run of neighbouring words, aligned groups of 16 bytes are merged, then of 8.
#include "counts/MergedLoads.h"

#include "ptx/Destinations.h"

#include <algorithm>
#include <bit>
#include <map>

namespace heddle::counts {
namespace {

using ptx::Instr, ptx::Op, ptx::Operand, ptx::OperandKind;

constexpr unsigned WidestLoad = 16;
constexpr unsigned AllZeros = 64;
/// ptxas places variables of shared memory where it likes.
constexpr unsigned ZerosOfVariable = 4;

unsigned trailingZeros(uint64_t value) { return value ? unsigned(std::countr_zero(value)) : AllZeros; }

class TrailingZeros {
public:
  explicit TrailingZeros(const ptx::Function &owner) : function(owner), of(owner.registers.size(), AllZeros) {
    // From above: what a loop adds to its own result can only lower it.
    for (bool isStable = false; !isStable;) {
      isStable = true;
      for (const Instr &instr : function.instrs)
        eachWritten(function, instr, [&](uint32_t reg) {
          const unsigned zeros = std::min(of[reg], ofResult(instr));
          isStable &= zeros == of[reg];
          of[reg] = zeros;
        });
    }
  }
  unsigned operator[](uint32_t reg) const { return of[reg]; }

private:
  unsigned ofOperand(const Operand &operand) const {
    switch (operand.kind) {
    case OperandKind::Reg: return of[operand.index];
    case OperandKind::Imm: return trailingZeros(operand.value);
    case OperandKind::Var: return std::min(ZerosOfVariable, trailingZeros(operand.value));
    default: return 0;
    }
  }
  unsigned ofResult(const Instr &instr) const {
    const auto operands = function.operandsOf(instr);
    const auto at = [&](unsigned i) { return ofOperand(operands[i]); };
    if (ptx::isFloat(instr.type()))
      return 0;
    switch (instr.op) {
    case Op::Mov:
    case Op::Cvta: return at(1);
    case Op::Cvt: return ptx::isFloat(instr.type2()) ? 0 : at(1);
    case Op::Add:
    case Op::Sub:
    case Op::Or: return std::min(at(1), at(2));
    case Op::And: return std::max(at(1), at(2));
    case Op::Shl:
      return operands[2].isImm() ? std::min(AllZeros, at(1) + unsigned(operands[2].value)) : at(1);
    case Op::Mul: return ofProduct(instr, at(1), at(2));
    case Op::Mad: return std::min(ofProduct(instr, at(1), at(2)), at(3));
    default: return 0;
    }
  }
  static unsigned ofProduct(const Instr &instr, unsigned a, unsigned b) {
    return instr.mods.mul == ptx::MulMode::Hi ? 0 : std::min(AllZeros, a + b);
  }

  const ptx::Function &function;
  std::vector<unsigned> of;
};

struct Load {
  int64_t offset = 0;
  uint32_t instr = 0;
};
/// Loads that may be merged: of one address, in elements of one size.
struct Base {
  OperandKind kind = OperandKind::AddrReg;
  uint32_t index = ptx::kNone;
  unsigned bytes = 0;
  auto operator<=>(const Base &) const = default;
};

bool isPlainSharedLoad(const Instr &instr) {
  const unsigned bytes = ptx::bytesOf(instr.type());
  return instr.op == Op::Ld && instr.mods.space == ptx::Space::Shared && instr.mods.vectorWidth() == 1 &&
         !instr.guard && instr.mods.sem == ptx::Semantics::None && (bytes == 4 || bytes == 8);
}
/// Loads before and after it see different values, or none must cross it.
bool mayChangeShared(const Instr &instr) {
  using enum ptx::OpClass;
  const ptx::OpInfo &op = ptx::info(instr.op);
  if (op.cls == Barrier || op.cls == Mbarrier || op.cls == Fence || op.cls == Call || op.cls == AsyncWait)
    return true;
  const bool writes = op.memory != ptx::Memory::None && op.memory != ptx::Memory::Loads;
  return writes && instr.mods.space != ptx::Space::Global && instr.mods.space != ptx::Space::Local;
}

class Merger {
public:
  explicit Merger(const ptx::Function &owner) : function(owner), zeros(owner), merged(owner.instrs.size()) {}

  std::vector<MergedLoad> run() {
    for (const ptx::Block &block : function.blocks) {
      for (uint32_t i = block.first; i < block.end; ++i)
        add(i);
      flush();
    }
    return std::move(merged);
  }

private:
  void add(uint32_t i) {
    const Instr &instr = function.instrs[i];
    if (mayChangeShared(instr))
      flush();
    if (isPlainSharedLoad(instr)) {
      const Operand &address = function.operandsOf(instr)[1];
      if (address.kind == OperandKind::AddrReg || address.kind == OperandKind::AddrVar)
        loads[{address.kind, address.index, ptx::bytesOf(instr.type())}].push_back({address.offset(), i});
    }
    eachWritten(function, instr, [&](uint32_t reg) {
      for (unsigned bytes : {4u, 8u})
        if (auto found = loads.find({OperandKind::AddrReg, reg, bytes}); found != loads.end()) {
          merge(found->first, found->second);
          loads.erase(found);
        }
    });
  }
  void flush() {
    for (auto &[base, some] : loads)
      merge(base, some);
    loads.clear();
  }
  void merge(const Base &base, std::vector<Load> &some) {
    std::ranges::stable_sort(some, {}, &Load::offset);
    const unsigned aligned = base.kind == OperandKind::AddrVar ? ZerosOfVariable : zeros[base.index];
    for (unsigned width = WidestLoad; width > base.bytes; width /= 2)
      if (aligned >= unsigned(std::countr_zero(width)))
        mergeTo(width, base.bytes, some);
  }
  /// Those that are left over stay in `some`.
  void mergeTo(unsigned width, unsigned bytes, std::vector<Load> &some) {
    const size_t each = width / bytes;
    std::vector<Load> left;
    for (size_t i = 0; i < some.size();) {
      if (!isGroup(some, i, each, width, bytes)) {
        left.push_back(some[i++]);
        continue;
      }
      for (size_t k = 0; k < each; ++k)
        merged[some[i + k].instr].bytes = k == 0 ? uint8_t(width) : 0;
      i += each;
    }
    some = std::move(left);
  }
  static bool isGroup(const std::vector<Load> &some, size_t first, size_t each, unsigned width,
                      unsigned bytes) {
    if (first + each > some.size() || some[first].offset % width)
      return false;
    for (size_t k = 1; k < each; ++k)
      if (some[first + k].offset != some[first].offset + int64_t(k * bytes))
        return false;
    return true;
  }

  const ptx::Function &function;
  const TrailingZeros zeros;
  std::vector<MergedLoad> merged;
  std::map<Base, std::vector<Load>> loads;
};

} // namespace

std::vector<MergedLoad> mergedLoads(const ptx::Function &function) { return Merger(function).run(); }

} // namespace heddle::counts
