// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace heddle::jit {

constexpr const char *EntryName = "heddleEnter";

/// Turns modules into code for the host's processor.
class Native {
public:
  Native();
  ~Native();

  /// Lanes of 32 bits that a vector of the host has.
  unsigned width() const { return lanes; }
  std::unique_ptr<llvm::LLVMContext> context() const { return std::make_unique<llvm::LLVMContext>(); }
  /// Code of one module, with a lifetime of its own.
  struct Loaded {
    llvm::orc::JITDylib *library = nullptr;
  };
  /// The address of the module's function EntryName; what was loaded for it is appended.
  llvm::Expected<void *> load(std::unique_ptr<llvm::Module> module,
                              std::unique_ptr<llvm::LLVMContext> context, std::vector<Loaded> &loaded);
  void unload(Loaded &loaded);
  const std::string &problem() const { return failure; }

private:
  llvm::Error open();
  void optimize(llvm::Module &module);

  unsigned lanes = 8;
  std::string failure;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> session;
  std::atomic<unsigned> count = 0;
};

} // namespace heddle::jit
