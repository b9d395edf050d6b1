// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The latency class of a PTX instruction: the key of its row in the device's table of measured latencies
// (arch/*.json).
//
// Ops.def says for each opcode how its class is found: a fixed key, none (instructions that ptxas removes),
// or a rule that looks at types and modifiers here. Several instructions share a row: half precision
// additions of all kinds have the class add.f16x2.
//
// A basic block costs the sum of its instructions' latencies, as if none overlapped: it compares paths
// through one kernel with each other, it does not predict time. `BlockLatencies` counts how many came from
// the table, how many were substituted by a related instruction, and how many were only counted, so that
// reports can show what the numbers rest on. Loads of global memory have the latency of the level that the
// caller assumes.
#include "divergence/InstructionLatency.h"

#include "ptx/Module.h"

namespace heddle::divergence {
namespace {

using ptx::Op;
using ptx::Type;

bool isHalf(Type type) { return type == Type::F16 || type == Type::F16X2; }
bool isBfloat(Type type) { return type == Type::BF16 || type == Type::BF16X2; }
bool isWide(const ptx::Instr &instr) { return ptx::bitsOf(instr.type()) == 64; }

std::string_view addition(const ptx::Instr &instr) {
  const Type type = instr.type();
  if (type == Type::F64)
    return "add.f64";
  if (isHalf(type) || isBfloat(type))
    return "add.f16x2";
  if (ptx::isFloat(type) || type == Type::F32X2)
    return "add.f32";
  return isWide(instr) ? "add.s64" : "add.s32";
}

std::string_view smallest(const ptx::Instr &instr) {
  const Type type = instr.type();
  return type == Type::F64   ? "min.f64"
         : type == Type::F32 ? "min.f32"
         : isWide(instr)     ? "add.s64"
                             : "min.s32";
}

/// With an addition after it or not: for floating point the two are one unit.
std::string_view multiplication(const ptx::Instr &instr, bool adds) {
  const Type type = instr.type();
  if (type == Type::F64)
    return adds ? "fma.f64" : "mul.f64";
  if (isBfloat(type))
    return "fma.bf16x2";
  if (isHalf(type))
    return "fma.f16x2";
  if (ptx::isFloat(type) || type == Type::F32X2)
    return adds ? "fma.f32" : "mul.f32";
  if (isWide(instr))
    return instr.mods.mul == ptx::MulMode::Hi ? "mul.hi.s64" : "mul.lo.s64";
  if (instr.mods.mul == ptx::MulMode::Wide)
    return adds ? "mad.wide.s32" : "mul.wide.s32";
  if (instr.mods.mul == ptx::MulMode::Hi)
    return "mul.hi.s32";
  return adds ? "mad.lo.s32" : "mul.lo.s32";
}

std::string_view division(const ptx::Instr &instr) {
  const Type type = instr.type();
  const bool remains = instr.op == Op::Rem;
  if (type == Type::F64)
    return "div.rn.f64";
  if (ptx::isFloat(type))
    return instr.mods.has(ptx::Flag::Approx) ? "div.approx.f32"
           : instr.mods.has(ptx::Flag::Full) ? "div.full.f32"
                                             : "div.rn.f32";
  if (ptx::isSigned(type))
    return isWide(instr) ? (remains ? "rem.s64" : "div.s64") : (remains ? "rem.s32" : "div.s32");
  return isWide(instr) ? (remains ? "rem.u64" : "div.u64") : (remains ? "rem.u32" : "div.u32");
}

std::string_view byPrecision(const ptx::Instr &instr, std::string_view approx, std::string_view exact,
                             std::string_view f64) {
  if (instr.type() == Type::F64)
    return f64;
  return instr.mods.has(ptx::Flag::Approx) ? approx : exact;
}

std::string_view comparison(Type type) {
  if (type == Type::F64)
    return "setp.f64";
  if (ptx::isFloat(type) || isHalf(type) || isBfloat(type))
    return "setp.f32";
  return ptx::bitsOf(type) == 64 ? "setp.s64" : "setp.s32";
}

std::string_view conversion(Type to, Type from) {
  const bool f64 = to == Type::F64 || from == Type::F64;
  const bool toFloat = ptx::isFloat(to), fromFloat = ptx::isFloat(from);
  if (f64)
    return toFloat && fromFloat ? "cvt.f64.f32" : "cvt.f64.s32";
  if (toFloat && fromFloat)
    return "cvt.f16.f32";
  if (toFloat || fromFloat)
    return "cvt.f32.s32";
  return ptx::bitsOf(to) < 32 || ptx::bitsOf(from) < 32 ? "cvt.s32.s8" : "cvt.s64.s32";
}

/// At an address that is known when the kernel is compiled, as parameters are that are no arrays.
bool isFixed(const ptx::Operand &address) { return address.kind == ptx::OperandKind::AddrVar; }

std::string_view loading(const ptx::Function &function, const ptx::Instr &instr) {
  switch (instr.mods.space) {
  case ptx::Space::Global: return "ld.global.l1";
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return "ld.shared";
  case ptx::Space::Local: return "ld.local";
  case ptx::Space::Const: return "ld.const";
  case ptx::Space::Param:
    return function.isEntry && isFixed(function.operandsOf(instr)[1]) ? NoInstruction : "ld.param";
  default: return "ld.generic.l1";
  }
}

std::string_view storing(const ptx::Instr &instr) {
  switch (instr.mods.space) {
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return "st.shared";
  case ptx::Space::Local:
  case ptx::Space::Param: return "st.local";
  default: return "st.global";
  }
}

bool isShared(const ptx::Instr &instr) {
  return instr.mods.space == ptx::Space::Shared || instr.mods.space == ptx::Space::SharedCluster;
}

std::string_view fence(const ptx::Instr &instr) {
  const std::string_view scope = ptx::text(instr.mods.scope);
  return scope == "cta" ? "fence.cta" : scope == "sys" ? "fence.sys" : "fence.gpu";
}

std::string_view answeredBy(MemoryLevel memory, std::string_view cls) {
  if (memory == MemoryLevel::L1 || (cls != "ld.global.l1" && cls != "ld.generic.l1"))
    return cls;
  return memory == MemoryLevel::L2 ? "ld.global.l2" : "ld.global.dram";
}

} // namespace

std::string_view latencyClassOf(const ptx::Function &function, const ptx::Instr &instr) {
  const ptx::OpInfo &op = ptx::info(instr.op);
  switch (op.latency) {
  case ptx::LatencyRule::Fixed: return op.latencyKey;
  case ptx::LatencyRule::Nothing: return NoInstruction;
  case ptx::LatencyRule::Addition: return addition(instr);
  case ptx::LatencyRule::Sign: return ptx::isFloat(instr.type()) ? addition(instr) : "abs.s32";
  case ptx::LatencyRule::MinMax: return smallest(instr);
  case ptx::LatencyRule::Multiply: return multiplication(instr, false);
  case ptx::LatencyRule::MultiplyAdd: return multiplication(instr, true);
  case ptx::LatencyRule::Divide: return division(instr);
  case ptx::LatencyRule::Reciprocal: return byPrecision(instr, "rcp.approx.f32", "rcp.rn.f32", "rcp.rn.f64");
  case ptx::LatencyRule::SquareRoot:
    return byPrecision(instr, "sqrt.approx.f32", "sqrt.rn.f32", "sqrt.rn.f64");
  case ptx::LatencyRule::ReciprocalRoot: return instr.type() == Type::F64 ? "rcp.rn.f64" : "rsqrt.approx.f32";
  case ptx::LatencyRule::Logic: return isWide(instr) ? "and.b64" : "lop3.b32";
  case ptx::LatencyRule::ShiftLeft: return isWide(instr) ? "shl.b64" : "shl.b32";
  case ptx::LatencyRule::ShiftRight: return isWide(instr) ? "shl.b64" : "shr.u32";
  case ptx::LatencyRule::Compare: return comparison(instr.type());
  case ptx::LatencyRule::CompareSecond: return comparison(instr.type2());
  case ptx::LatencyRule::Convert: return conversion(instr.type(), instr.type2());
  case ptx::LatencyRule::Load: return loading(function, instr);
  case ptx::LatencyRule::Store: return storing(instr);
  case ptx::LatencyRule::Atomic: return isShared(instr) ? "atom.shared" : "atom.global";
  case ptx::LatencyRule::CompareAndSwap: return isShared(instr) ? "atom.shared.cas" : "atom.global.cas";
  case ptx::LatencyRule::Reduction: return isShared(instr) ? "atom.shared" : "red.global";
  case ptx::LatencyRule::Fence: return fence(instr);
  case ptx::LatencyRule::Shuffle: return ptx::text(instr.mods.shfl) == "idx" ? "shfl.idx" : "shfl.bfly";
  case ptx::LatencyRule::Vote: return instr.type() == Type::B32 ? "vote.ballot" : "vote.any";
  }
  return op.latencyKey;
}

double BlockLatencies::of(const ClassCounts &instructions) {
  double cycles = 0;
  for (const auto &[cls, count] : instructions) {
    if (cls == NoInstruction)
      continue;
    const arch::Latency latency = arch::latencyOf(table, answeredBy(level, cls));
    cycles += latency.cycles * count;
    (latency.from == arch::LatencyFrom::Table        ? own
     : latency.from == arch::LatencyFrom::Substitute ? substitutedFor
                                                     : counted) += count;
  }
  return cycles;
}

} // namespace heddle::divergence
