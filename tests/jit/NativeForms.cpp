// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/NativeForms.h"

#include "jit/Operations.h"
#include "jit/Session.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::jit::test {
namespace {

std::string nameOf(size_t form, unsigned lanes) { return fmt::format("form{}_{}", form, lanes); }

/// Emits the function of one form.
class FunctionEmitter {
public:
  FunctionEmitter(llvm::Module &module, const TestForm &testForm, unsigned laneCount, const std::string &name)
      : form(testForm), lanes(laneCount), ir(module.getContext()) {
    auto *pointer = ir.getPtrTy();
    auto *type = llvm::FunctionType::get(ir.getVoidTy(), {pointer, pointer, ir.getInt64Ty()}, false);
    function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    ir.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  }

  void emit() {
    std::vector<llvm::Value *> sources;
    const auto operands = form.function->operandsOf(*form.instr);
    const size_t behind = operands.size();
    for (size_t k = 0; k < form.sources.size(); ++k) {
      // Immediates are the only operands whose number is not their place from the end of the list.
      const size_t fromEnd = form.sources.size() - form.readsCarry - k;
      sources.push_back(form.sources[k].isImmediate
                            ? constant(form.sources[k], operands[behind - fromEnd].value)
                            : load(k, form.sources[k].bits));
    }
    auto results = emitOperation(ir, *form.function, *form.instr, sources);
    // Destinations that the form does not write have results too: the second of "d|p".
    const bool skips = results.size() > form.results.size();
    for (size_t k = 0; k < form.results.size(); ++k)
      store(k, results[skips && k == 1 ? 2 : k]);
    ir.CreateRetVoid();
  }

private:
  llvm::Type *lanesOf(unsigned bits) {
    llvm::Type *element = ir.getIntNTy(bits);
    return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
  }
  llvm::Value *constant(const Place &place, uint64_t value) {
    return llvm::ConstantInt::get(lanesOf(place.bits), llvm::APInt(64, value).zextOrTrunc(place.bits));
  }
  llvm::Value *address(unsigned argument, size_t k, unsigned bits) {
    auto *row = ir.CreateConstGEP1_64(ir.getPtrTy(), function->getArg(argument), k);
    auto *offset = ir.CreateMul(function->getArg(2), ir.getInt64(std::max(1u, bits / 8)));
    return ir.CreateGEP(ir.getInt8Ty(), ir.CreateLoad(ir.getPtrTy(), row), offset);
  }
  llvm::Value *load(size_t k, unsigned bits) {
    auto *value = ir.CreateAlignedLoad(lanesOf(std::max(8u, bits)), address(0, k, bits), llvm::Align(1));
    return bits == 1 ? ir.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType())) : value;
  }
  void store(size_t k, llvm::Value *value) {
    const unsigned bits = value->getType()->getScalarSizeInBits();
    if (bits == 1)
      value = ir.CreateZExt(value, lanesOf(8));
    ir.CreateAlignedStore(value, address(1, k, bits), llvm::Align(1));
  }

  const TestForm &form;
  const unsigned lanes;
  llvm::IRBuilder<> ir;
  llvm::Function *function;
};

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(
      builder.parsePassPipeline(passes, "function(instcombine<no-verify-fixpoint>,early-cse,sccp)"));
  passes.run(module, modules);
}

} // namespace

std::vector<unsigned> laneCountsOf(size_t number, const TestForm &form) {
  const ptx::Type type = form.instr->types[0];
  const bool isNarrow = type == ptx::Type::F16 || type == ptx::Type::BF16 || type == ptx::Type::F16X2 ||
                        type == ptx::Type::BF16X2;
  if (form.instr->op == ptx::Op::Fma && isNarrow) // has a way of its own for 16 lanes
    return {1, 8, 16};
  const unsigned other = number % 16 == 0 ? 4 : 16;
  return number % 8 == 0 ? std::vector<unsigned>{1, 8, other} : std::vector<unsigned>{1, 8};
}

NativeCode::NativeCode(const std::vector<const TestForm *> &forms) {
  auto builder = llvm::cantFail(hostMachine());
  auto machine = llvm::cantFail(builder.createTargetMachine());
  jit = llvm::cantFail(openSession(std::move(builder)));
  llvm::cantFail(defineCalledFunctions(*jit, jit->getMainJITDylib()));
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("forms", *context);
  module->setDataLayout(jit->getDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  for (size_t i = 0; i < forms.size(); ++i)
    for (unsigned lanes : laneCountsOf(i, *forms[i]))
      FunctionEmitter(*module, *forms[i], lanes, nameOf(i, lanes)).emit();
  if (llvm::verifyModule(*module, &llvm::errs()))
    std::abort();
  optimize(*module, *machine);
  if (std::getenv("HEDDLE_JIT_DUMP"))
    module->print(llvm::errs(), nullptr);
  llvm::cantFail(jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
}

NativeCode::~NativeCode() = default;

NativeOperation NativeCode::function(size_t form, unsigned lanes) const {
  return llvm::cantFail(jit->lookup(nameOf(form, lanes))).toPtr<NativeOperation>();
}

} // namespace heddle::jit::test
