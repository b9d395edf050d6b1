// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Module.h"
#include "vm/Counters.h"

namespace heddle::vm {
namespace {

using enum InstructionClass;
using ptx::Op;

bool isHalf(ptx::Type type) {
  using enum ptx::Type;
  return type == F16 || type == BF16 || type == F16X2 || type == BF16X2;
}

InstructionClass arithmetic(const ptx::Instr &instr) {
  const ptx::Type type = instr.type();
  if (isHalf(type))
    return Half;
  if (type == ptx::Type::F64)
    return Double;
  if (ptx::isFloat(type) || type == ptx::Type::F32X2)
    return Float;
  const bool multiplies = instr.op == Op::Mul || instr.op == Op::Mad || instr.op == Op::MadC ||
                          instr.op == Op::Mul24 || instr.op == Op::Mad24;
  return multiplies ? IntegerMultiply : Integer;
}

InstructionClass division(const ptx::Instr &instr) {
  if (instr.type() == ptx::Type::F64)
    return DoubleDivide;
  if (!ptx::isFloat(instr.type()))
    return IntegerDivide;
  return instr.mods.has(ptx::Flag::Approx) ? SpecialFunction : FloatDivide;
}

InstructionClass memory(const ptx::Instr &instr, bool loads) {
  switch (instr.mods.space) {
  case ptx::Space::Global: return loads ? GlobalLoad : GlobalStore;
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster: return loads ? SharedLoad : SharedStore;
  case ptx::Space::Local: return loads ? LocalLoad : LocalStore;
  case ptx::Space::Const: return ConstantLoad;
  case ptx::Space::Param: return loads ? ParamLoad : LocalStore;
  default: return loads ? GenericLoad : GenericStore;
  }
}

} // namespace

InstructionClass classOf(const ptx::Instr &instr) {
  switch (instr.op) {
  case Op::Add:
  case Op::AddC:
  case Op::Sub:
  case Op::SubC:
  case Op::Mul:
  case Op::Mad:
  case Op::MadC:
  case Op::Fma:
  case Op::Mul24:
  case Op::Mad24:
  case Op::Sad:
  case Op::Abs:
  case Op::Neg:
  case Op::Min:
  case Op::Max:
  case Op::CopySign:
  case Op::Dp4a:
  case Op::Dp2a: return arithmetic(instr);
  case Op::Div:
  case Op::Rem:
  case Op::Rcp:
  case Op::Sqrt: return division(instr);
  case Op::Rsqrt:
  case Op::Sin:
  case Op::Cos:
  case Op::Lg2:
  case Op::Ex2:
  case Op::Tanh: return SpecialFunction;
  case Op::Popc:
  case Op::Clz:
  case Op::Bfind:
  case Op::Fns:
  case Op::Brev:
  case Op::Bfe:
  case Op::Bfi:
  case Op::Szext:
  case Op::Bmsk:
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Not:
  case Op::CNot:
  case Op::Lop3:
  case Op::Shf:
  case Op::Shl:
  case Op::Shr:
  case Op::Prmt: return Logic;
  case Op::Set:
  case Op::Setp:
  case Op::Selp:
  case Op::Slct:
  case Op::TestP: return Compare;
  case Op::Cvt:
  case Op::CvtPack: return Convert;
  case Op::Mov:
  case Op::Cvta:
  case Op::IsSpaceP:
  case Op::Mapa: return Move;
  case Op::Bra:
  case Op::BrxIdx:
  case Op::Ret:
  case Op::Exit: return Branch;
  case Op::Call: return Call;
  case Op::Ld:
  case Op::Ldu: return memory(instr, true);
  case Op::St: return memory(instr, false);
  case Op::Atom:
  case Op::Red:
  case Op::AtomCas: return Atomic;
  case Op::Fence:
  case Op::FenceProxy:
  case Op::FenceMbarrierInit:
  case Op::Membar:
  case Op::MembarProxy: return Fence;
  case Op::Shfl:
  case Op::ShflSync: return Shuffle;
  case Op::Vote:
  case Op::VoteSync:
  case Op::MatchSync:
  case Op::MatchAllSync:
  case Op::ReduxSync:
  case Op::ElectSync:
  case Op::ActiveMask: return Vote;
  case Op::CpAsync:
  case Op::CpAsyncBulk:
  case Op::CpReduceAsyncBulk:
  case Op::CpAsyncCommitGroup:
  case Op::CpAsyncWaitGroup:
  case Op::CpAsyncWaitAll:
  case Op::CpAsyncMbarrierArrive:
  case Op::CpAsyncBulkCommitGroup:
  case Op::CpAsyncBulkWaitGroup: return AsyncCopy;
  case Op::MmaSync:
  case Op::LdMatrix:
  case Op::StMatrix:
  case Op::MovMatrix: return Matrix;
  case Op::Tex:
  case Op::Tld4:
  case Op::Txq:
  case Op::SuldB:
  case Op::SustB:
  case Op::SustP:
  case Op::Suq: return Texture;
  case Op::MbarrierInit:
  case Op::MbarrierInval:
  case Op::MbarrierExpectTx:
  case Op::MbarrierCompleteTx:
  case Op::MbarrierArrive:
  case Op::MbarrierArriveDrop:
  case Op::MbarrierTestWait:
  case Op::MbarrierTryWait:
  case Op::MbarrierPendingCount: return Mbarrier;
  case Op::BarSync:
  case Op::BarArrive:
  case Op::BarRed:
  case Op::BarCtaSync:
  case Op::BarCtaArrive:
  case Op::BarCtaRed:
  case Op::BarrierSync:
  case Op::BarrierArrive:
  case Op::BarrierRed:
  case Op::BarrierCtaSync:
  case Op::BarrierCtaArrive:
  case Op::BarrierCtaRed:
  case Op::BarrierClusterArrive:
  case Op::BarrierClusterWait:
  case Op::BarWarpSync: return Barrier;
  default: return Other;
  }
}

std::string_view nameOf(InstructionClass cls) {
  static constexpr std::string_view names[] = {
#define HEDDLE_CLASS(NAME, TEXT) TEXT,
#include "vm/Classes.def"
  };
  return names[unsigned(cls)];
}

} // namespace heddle::vm
