// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of code that was compiled before, by this process or another one.
#pragma once

#include "support/KeptFiles.h"

#include <llvm/ExecutionEngine/ObjectCache.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::jit {

/// The identifier of a module that is not kept.
constexpr const char *UnnamedModule = "code";

/// A module is found by its identifier, which is to be what nameOf() returned before anything of it was optimized.
class ObjectStore final : public llvm::ObjectCache {
public:
  /// In $HEDDLE_JIT_CACHE, else in heddle/jit of the user's cache folder.
  static std::optional<KeptFiles> ofUser();
  /// Without files nothing is kept.
  explicit ObjectStore(std::optional<KeptFiles> kept) : files(std::move(kept)) {}
  /// For ofUser() and tests.
  static std::string hashOf(std::string_view bytes);

  /// All that the object depends on: the module, which names the processor and its features, LLVM and its level, and this library.
  std::string nameOf(const llvm::Module &module) const;

  std::unique_ptr<llvm::MemoryBuffer> find(const llvm::Module &module) const;
  /// LLVM asks when the module is optimized: what was not found before is not there.
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module *) override { return nullptr; }
  void notifyObjectCompiled(const llvm::Module *module, llvm::MemoryBufferRef object) override;

private:
  std::optional<KeptFiles> files;
};

} // namespace heddle::jit
