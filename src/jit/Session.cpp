// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Session.h"

#include "jit/Operations.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/Support/TargetSelect.h>

#include <cstdlib>

namespace heddle::jit {

namespace orc = llvm::orc;

llvm::CodeGenOptLevel codeGenLevel() {
  const char *given = std::getenv("HEDDLE_JIT_LEVEL");
  int level = 0;
  if (!given || llvm::StringRef(given).getAsInteger(10, level))
    return llvm::CodeGenOptLevel::Default;
  return llvm::CodeGenOpt::getLevel(level).value_or(llvm::CodeGenOptLevel::Default);
}

llvm::Expected<orc::JITTargetMachineBuilder> hostMachine() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(codeGenLevel());
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return host;
}

llvm::Expected<std::unique_ptr<orc::LLJIT>> openSession(orc::JITTargetMachineBuilder machine,
                                                        llvm::ObjectCache *objects) {
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(machine))
      .setCompileFunctionCreator([objects](orc::JITTargetMachineBuilder host)
                                     -> llvm::Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
        return std::make_unique<orc::ConcurrentIRCompiler>(std::move(host), objects);
      })
      .create();
}

llvm::Error defineCalledFunctions(orc::LLJIT &session, orc::JITDylib &library) {
  orc::SymbolMap functions;
  for (const auto &[name, address] : calledFunctions())
    functions[session.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                                llvm::JITSymbolFlags::Exported};
  return library.define(orc::absoluteSymbols(std::move(functions)));
}

} // namespace heddle::jit
