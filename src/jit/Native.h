// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/ObjectStore.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace heddle::jit {

constexpr const char *EntryName = "heddleEnter";

/// Is asked before each pass that is no necessity, those of code generation among them. All of them run.
class PassGate final : public llvm::OptPassGate {
public:
  bool shouldRunPass(llvm::StringRef, llvm::StringRef) const override {
    look();
    return true;
  }
  bool isEnabled() const override { return true; }
  void look() const {
    if (auto *called = between.load(std::memory_order_relaxed))
      called();
  }
  std::atomic<void (*)()> between = nullptr;
};

/// A module with its context, which it must not outlive.
struct NewModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// Turns modules into code for the host's processor.
class Native {
public:
  /// `kept`: where objects are kept.
  explicit Native(std::optional<KeptFiles> kept = ObjectStore::ofUser());
  ~Native();

  /// Lanes of 32 bits that a vector of the host has.
  unsigned width() const { return lanes; }
  NewModule newModule();
  void setBetweenPasses(void (*look)()) { gate.between = look; }
  /// Compiles something small. LLVM has objects that are made at their first use and destroyed when the process ends; they must be
  /// there before a thread that the process does not wait for uses them.
  void warmUp();
  /// Code of one module, with a lifetime of its own.
  struct Loaded {
    llvm::orc::JITDylib *library = nullptr;
  };
  /// The address of the module's function EntryName; what was loaded for it is appended.
  llvm::Expected<void *> load(NewModule made, std::vector<Loaded> &loaded);
  void unload(Loaded &loaded);
  const std::string &problem() const { return failure; }
  /// Modules that did not have to be compiled.
  unsigned foundCount() const { return objectsFound; }

private:
  llvm::Error open();
  void optimize(llvm::Module &module);
  llvm::Expected<llvm::orc::JITDylib *> addLibrary();
  llvm::Expected<void *> entryOf(llvm::orc::JITDylib &library);
  llvm::Expected<void *> loadObject(std::unique_ptr<llvm::MemoryBuffer> object, Loaded &loaded);
  llvm::Expected<void *> loadModule(NewModule made, Loaded &loaded);

  PassGate gate;
  ObjectStore objects;
  unsigned lanes = 8;
  std::string failure;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> session;
  std::atomic<unsigned> count = 0, objectsFound = 0;
};

} // namespace heddle::jit
