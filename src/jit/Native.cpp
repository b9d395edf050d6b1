// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Native.h"

#include "jit/Session.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
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

Native::Native(std::optional<KeptFiles> kept) : objects(std::move(kept)) {
  lanes = widthOfHost();
  if (llvm::Error error = open())
    failure = llvm::toString(std::move(error));
}

llvm::Error Native::open() {
  auto host = hostMachine();
  if (!host)
    return host.takeError();
  auto made = host->createTargetMachine();
  if (!made)
    return made.takeError();
  machine = std::move(*made);
  auto opened = openSession(std::move(*host), &objects);
  if (!opened)
    return opened.takeError();
  session = std::move(*opened);
  return llvm::Error::success();
}

Native::~Native() = default;

NewModule Native::newModule() {
  NewModule made;
  made.context = std::make_unique<llvm::LLVMContext>();
  made.context->setDiscardValueNames(true);
  made.context->setOptPassGate(gate);
  made.module = std::make_unique<llvm::Module>(UnnamedModule, *made.context);
  return made;
}

/// What registers in allocas and chunk after chunk of the same code need; no more, since every pass costs as much as the launch of
/// a small kernel.
void Native::optimize(llvm::Module &module) {
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerBeforeNonSkippedPassCallback([this](llvm::StringRef, llvm::Any) { gate.look(); });
  llvm::PassBuilder builder(machine.get(), llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
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

llvm::Expected<void *> Native::entryOf(orc::JITDylib &library) {
  auto found = session->lookup(library, EntryName);
  if (!found)
    return found.takeError();
  return found->toPtr<void *>();
}

llvm::Expected<orc::JITDylib *> Native::addLibrary() {
  auto library = session->createJITDylib("code" + std::to_string(count++));
  if (!library)
    return library.takeError();
  if (auto error = defineCalledFunctions(*session, *library))
    return error;
  return &*library;
}

llvm::Expected<void *> Native::loadObject(std::unique_ptr<llvm::MemoryBuffer> object, Loaded &loaded) {
  auto library = addLibrary();
  if (!library)
    return library.takeError();
  loaded.library = *library;
  if (auto error = session->addObjectFile(**library, std::move(object)))
    return error;
  return entryOf(**library);
}

llvm::Expected<void *> Native::loadModule(NewModule made, Loaded &loaded) {
  std::string wrong;
  llvm::raw_string_ostream message(wrong);
  if (llvm::verifyModule(*made.module, &message))
    return llvm::createStringError(wrong);
  optimize(*made.module);
  auto library = addLibrary();
  if (!library)
    return library.takeError();
  loaded.library = *library;
  if (auto error = session->addIRModule(
          **library, orc::ThreadSafeModule(std::move(made.module), std::move(made.context))))
    return error;
  return entryOf(**library);
}

llvm::Expected<void *> Native::load(NewModule made, std::vector<Loaded> &loaded) {
  llvm::Module *module = made.module.get();
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  for (llvm::Function &function : *module) {
    function.addFnAttr("prefer-vector-width", std::to_string(lanes * 32));
    function.addFnAttr("min-legal-vector-width", std::to_string(lanes * 32));
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  module->setModuleIdentifier(objects.nameOf(*module));
  if (auto object = objects.find(*module)) {
    auto found = loadObject(std::move(object), loaded.emplace_back());
    if (found) {
      ++objectsFound;
      return found;
    }
    llvm::consumeError(found.takeError()); // then it is made again
  }
  return loadModule(std::move(made), loaded.emplace_back());
}

void Native::warmUp() {
  NewModule made = newModule();
  llvm::IRBuilder<> ir(*made.context);
  auto *type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false);
  auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, EntryName, *made.module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(*made.context, "", function));
  // Types that no host has are kept in one such object.
  for (unsigned bits : {17, 64})
    for (unsigned count : {3, 32}) {
      auto *vector = llvm::FixedVectorType::get(ir.getIntNTy(bits), count);
      llvm::Value *value = ir.CreateLoad(vector, function->getArg(0));
      ir.CreateStore(ir.CreateAdd(value, value), function->getArg(0));
    }
  ir.CreateRetVoid();
  made.module->setDataLayout(machine->createDataLayout());
  made.module->setTargetTriple(machine->getTargetTriple());
  Loaded loaded;
  llvm::consumeError(loadModule(std::move(made), loaded).takeError());
  unload(loaded);
}

void Native::unload(Loaded &loaded) {
  if (loaded.library)
    llvm::consumeError(session->getExecutionSession().removeJITDylib(*loaded.library));
}

} // namespace heddle::jit
