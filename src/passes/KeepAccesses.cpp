// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin for Clang: what the static check examines is what the source does, not what an optimizer left of it.
//
// Optimizers delete stores that are not read in the thread itself and loads whose value is known: each is right for
// one thread alone, and each may delete one side of a race. Code that is not optimized at all keeps every variable
// in local memory, where the check can follow hardly anything. So, before the usual passes:
//
//   1. inline what the inliner would, and turn local variables into values (SROA);
//   2. make each load and store that is left, but those of local variables, volatile.
//
// Nothing that follows deletes, merges or moves a volatile access. To the check volatile is an ordinary access.
// Loads that are marked as invariant (__ldg) are not changed: what they read does not change.
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/ModuleInliner.h>
#include <llvm/Transforms/Scalar/SROA.h>

namespace {

constexpr unsigned LocalSpace = 5, ConstantSpace = 4, ParameterSpace = 101;

/// A local variable, a parameter, or constant memory: no other thread writes it.
bool isPrivate(const llvm::Value *pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == LocalSpace || space == ConstantSpace || space == ParameterSpace)
    return true;
  const llvm::Value *object = llvm::getUnderlyingObject(pointer, 0);
  if (llvm::isa<llvm::AllocaInst>(object))
    return true;
  if (const auto *argument = llvm::dyn_cast<llvm::Argument>(object))
    return argument->hasByValAttr();
  const auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return variable && (variable->isConstant() || variable->getAddressSpace() == ConstantSpace);
}

struct MarkAccesses : llvm::PassInfoMixin<MarkAccesses> {
  static bool isRequired() { return true; }

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    for (llvm::Function &function : module)
      for (llvm::BasicBlock &block : function)
        for (llvm::Instruction &instruction : block)
          mark(instruction);
    return llvm::PreservedAnalyses::none();
  }

private:
  static void mark(llvm::Instruction &instruction) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->isAtomic() && !load->hasMetadata(llvm::LLVMContext::MD_invariant_load) &&
          !isPrivate(load->getPointerOperand()))
        load->setVolatile(true);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (!store->isAtomic() && !isPrivate(store->getPointerOperand()))
        store->setVolatile(true);
    }
  }
};

void addPasses(llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
  passes.addPass(llvm::ModuleInlinerPass(llvm::getInlineParams(2, 0)));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
  passes.addPass(MarkAccesses());
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK ::llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle-keep-accesses", LLVM_VERSION_STRING,
          [](llvm::PassBuilder &builder) { builder.registerPipelineStartEPCallback(addPasses); }};
}
