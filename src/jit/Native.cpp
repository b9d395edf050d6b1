// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Native.h"

#include "jit/Operations.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

namespace heddle::jit {

namespace orc = llvm::orc;

namespace {

unsigned widthOfHost() {
  const auto features = llvm::sys::getHostCPUFeatures();
  auto has = [&](llvm::StringRef name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq"))
    return 16;
  return has("avx2") ? 8 : 4;
}

} // namespace

Native::Native() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  lanes = widthOfHost();
  if (llvm::Error error = open())
    failure = llvm::toString(std::move(error));
}

llvm::Error Native::open() {
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto made = host->createTargetMachine();
  if (!made)
    return made.takeError();
  machine = std::move(*made);
  auto opened = orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
  if (!opened)
    return opened.takeError();
  session = std::move(*opened);
  return llvm::Error::success();
}

Native::~Native() = default;

/// What registers in allocas and chunk after chunk of the same code need; no more, since every pass costs as much as the launch of
/// a small kernel.
void Native::optimize(llvm::Module &module) {
  llvm::PassBuilder builder(machine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager inLoops;
  inLoops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(inLoops), true));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

llvm::Expected<void *> Native::load(std::unique_ptr<llvm::Module> module,
                                    std::unique_ptr<llvm::LLVMContext> context, std::vector<Loaded> &loaded) {
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  for (llvm::Function &function : *module) {
    function.addFnAttr("prefer-vector-width", std::to_string(lanes * 32));
    function.addFnAttr("min-legal-vector-width", std::to_string(lanes * 32));
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  optimize(*module);
  auto library = session->createJITDylib("code" + std::to_string(count++));
  if (!library)
    return library.takeError();
  loaded.push_back({&*library});
  orc::SymbolMap functions;
  for (const auto &[name, address] : calledFunctions())
    functions[session->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                                 llvm::JITSymbolFlags::Exported};
  if (auto error = library->define(orc::absoluteSymbols(std::move(functions))))
    return error;
  if (auto error =
          session->addIRModule(*library, orc::ThreadSafeModule(std::move(module), std::move(context))))
    return error;
  auto found = session->lookup(*library, EntryName);
  if (!found)
    return found.takeError();
  return found->toPtr<void *>();
}

void Native::unload(Loaded &loaded) {
  llvm::consumeError(session->getExecutionSession().removeJITDylib(*loaded.library));
}

} // namespace heddle::jit
