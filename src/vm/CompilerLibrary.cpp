// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library (libheddle_jit.so) links LLVM, which takes longer to load than most programs take to run, so it is loaded when
// something is to be compiled, and not at all for the interpreter. Its symbols stay its own: a program may use another LLVM.
#include "vm/CompilerLibrary.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <filesystem>

namespace heddle::vm {
namespace {

namespace fs = std::filesystem;

constexpr const char *CompilerLibraryName = "libheddle_jit.so";

/// Folders above the program or library that contains this code in which the library is looked for: it is beside
/// libheddle_cudart.so, in lib/heddle below the prefix of an installation, and in lib below a build folder.
constexpr unsigned FoldersAbove = 4;

fs::path ownFolder() {
  Dl_info info;
  std::error_code ignored;
  if (!dladdr(reinterpret_cast<void *>(&compilerOnce), &info) || !info.dli_fname)
    return {};
  return fs::canonical(info.dli_fname, ignored).parent_path();
}

fs::path libraryPath() {
  std::error_code ignored;
  fs::path folder = ownFolder();
  for (unsigned i = 0; i < FoldersAbove && !folder.empty(); ++i, folder = folder.parent_path())
    for (const char *below : {".", "lib/heddle", "lib"})
      if (fs::path found = folder / below / CompilerLibraryName; fs::exists(found, ignored))
        return found;
  return {};
}

LoadedCompiler load() {
  const fs::path path = libraryPath();
  if (path.empty())
    return {nullptr,
            fmt::format("{} is neither beside {} nor in lib/heddle: `make build` makes it, and `make "
                        "install` installs it",
                        CompilerLibraryName, ownFolder().string())};
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return {nullptr, dlerror()};
  auto make = reinterpret_cast<CompilerFactoryFunction>(dlsym(library, CompilerFactory));
  if (!make)
    return {nullptr, fmt::format("{} is of another version: install it with this program", path.string())};
  return {make(), {}};
}

} // namespace

const LoadedCompiler &compilerOnce() {
  static const LoadedCompiler loaded = load();
  return loaded;
}

} // namespace heddle::vm
