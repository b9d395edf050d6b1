// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/ObjectStore.h"

#include "jit/Native.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>

namespace heddle::jit {
namespace {

namespace fs = std::filesystem;

struct ObjectStoreTest : testing::Test {
  TemporaryFolder folder;
  const fs::path kept = folder.path() / "kept";

  std::optional<KeptFiles> files(uintmax_t bytes = KeptFiles::usualBytes) const {
    return KeptFiles(kept, ObjectStore::hashOf, bytes);
  }
  /// What code returns that was compiled to return the number. It has no type for the sanitizer (vm::callCompiled).
  [[clang::no_sanitize("function")]] static int run(Native &native, int number) {
    NewModule made = native.newModule();
    auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(*made.context), false);
    auto *function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, EntryName, *made.module);
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(*made.context, "", function));
    ir.CreateRet(ir.getInt32(uint32_t(number)));
    std::vector<Native::Loaded> loaded;
    auto found = native.load(std::move(made), loaded);
    if (!found) {
      ADD_FAILURE() << llvm::toString(found.takeError());
      return -1;
    }
    const int result = reinterpret_cast<int (*)()>(*found)();
    for (Native::Loaded &each : loaded)
      native.unload(each);
    return result;
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const auto &entry : fs::directory_iterator(kept))
      all.push_back(entry.path());
    return all;
  }
  /// Another process: whether it compiles the number 7 again.
  bool isCompiledAgain() const {
    Native native(files());
    EXPECT_EQ(run(native, 7), 7);
    return native.foundCount() == 0;
  }
};

TEST_F(ObjectStoreTest, OtherProcessesDoNotCompileAgain) {
  EXPECT_TRUE(isCompiledAgain());
  EXPECT_FALSE(isCompiledAgain());
  Native native(files());
  EXPECT_EQ(run(native, 8), 8);
  EXPECT_EQ(native.foundCount(), 0u);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(ObjectStoreTest, DamagedAndForeignFilesAreReplaced) {
  EXPECT_TRUE(isCompiledAgain());
  const fs::path entry = entries().at(0);
  const std::string good = contentsOf(entry);
  std::string flipped = good;
  flipped[flipped.size() / 2] ^= 1;
  for (const std::string &bad :
       {std::string(), std::string("something else\n"), good.substr(0, good.size() / 2), flipped,
        ObjectStore::hashOf("no object") + "\nno object"}) {
    writeFileOrThrow(entry, bad);
    EXPECT_TRUE(isCompiledAgain());
    EXPECT_EQ(contentsOf(entry), good);
    EXPECT_FALSE(isCompiledAgain());
  }
}

TEST_F(ObjectStoreTest, WithoutAFolderEverythingIsCompiled) {
  for (int i = 0; i < 2; ++i) {
    Native native{std::nullopt};
    EXPECT_EQ(run(native, 7), 7);
    EXPECT_EQ(native.foundCount(), 0u);
  }
}

TEST_F(ObjectStoreTest, AFolderThatCannotBeWrittenIsNoProblem) {
  writeFileOrThrow(kept, "a file\n");
  EXPECT_TRUE(isCompiledAgain());
  EXPECT_TRUE(isCompiledAgain());
}

TEST_F(ObjectStoreTest, NamesDependOnTheModuleAndItsTarget) {
  const ObjectStore store(files());
  llvm::LLVMContext context;
  auto name = [&](const char *cpu) {
    llvm::Module module("code", context);
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
    llvm::Function::Create(type, llvm::Function::ExternalLinkage, EntryName, module)
        ->addFnAttr("target-cpu", cpu);
    return store.nameOf(module);
  };
  EXPECT_EQ(name("one"), name("one"));
  EXPECT_NE(name("one"), name("two"));
  const std::string atUsualLevel = name("one");
  setenv("HEDDLE_JIT_LEVEL", "0", 1);
  EXPECT_NE(name("one"), atUsualLevel);
  setenv("HEDDLE_JIT_LEVEL", "none", 1);
  EXPECT_EQ(name("one"), atUsualLevel);
  unsetenv("HEDDLE_JIT_LEVEL");
}

} // namespace
} // namespace heddle::jit
