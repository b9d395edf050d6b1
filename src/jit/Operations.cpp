// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Operations.h"

#include "jit/Emitters.h"

namespace heddle::jit {

namespace {
Emitter emitterOf(const Form &form) {
  for (auto *family :
       {moveEmitter, carryEmitter, integerEmitter, bitsEmitter, floatEmitter, compareEmitter, convertEmitter})
    if (Emitter emitter = family(form))
      return emitter;
  return {};
}
} // namespace

llvm::SmallVector<llvm::Value *, 2> emitOperation(llvm::IRBuilderBase &builder, const ptx::Function &function,
                                                  const ptx::Instr &instr,
                                                  llvm::ArrayRef<llvm::Value *> sources, bool anyNaN) {
  llvm::SmallVector<llvm::Value *, 2> results;
  Emitter emitter = emitterOf(Form(function, instr, anyNaN));
  if (!emitter)
    return results;
  llvm::SmallVector<Bits, 5> values;
  for (llvm::Value *source : sources)
    values.emplace_back(builder, source);
  for (const Bits &result : emitter(values))
    results.push_back(result.value());
  return results;
}

bool isCompiled(const ptx::Function &function, const ptx::Instr &instr) {
  return bool(emitterOf(Form(function, instr)));
}

bool readsCarry(const ptx::Instr &instr) {
  return instr.op == ptx::Op::AddC || instr.op == ptx::Op::SubC || instr.op == ptx::Op::MadC;
}
bool writesCarry(const ptx::Instr &instr) { return instr.mods.has(ptx::Flag::CarryOut); }

sem::Rounding roundingOf(ptx::Rounding rounding) {
  using enum ptx::Rounding;
  switch (rounding) {
  case Rz:
  case Rzi: return sem::Rounding::RZ;
  case Rm:
  case Rmi: return sem::Rounding::RM;
  case Rp:
  case Rpi: return sem::Rounding::RP;
  case Rna: return sem::Rounding::RNA;
  default: return sem::Rounding::RN;
  }
}

} // namespace heddle::jit
