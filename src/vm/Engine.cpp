// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which engine executes kernels, and the compiler's library.
//
// The library (libheddle_jit.so) links LLVM, which takes longer to load than most programs take to run, so it is loaded when
// a launch is to be compiled, and not at all for the interpreter. Its symbols stay its own: a program may use another LLVM.
#include "vm/Engine.h"

#include "vm/Compiled.h"
#include "vm/Lowering.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <iostream>
#include <mutex>

namespace heddle::vm {
namespace {

namespace fs = std::filesystem;

constexpr const char *CompilerLibrary = "libheddle_jit.so";

/// Folders above the program or library that contains this code in which the library is looked for: it is beside
/// libheddle_cudart.so, in lib/heddle below the prefix of an installation, and in lib below a build folder.
constexpr unsigned FoldersAbove = 4;

struct LoadedCompiler {
  Compiler *compiler = nullptr;
  std::string problem;
};

fs::path libraryPath() {
  Dl_info info;
  std::error_code ignored;
  if (!dladdr(reinterpret_cast<void *>(&engineOf), &info) || !info.dli_fname)
    return {};
  fs::path folder = fs::canonical(info.dli_fname, ignored).parent_path();
  for (unsigned i = 0; i < FoldersAbove && !folder.empty(); ++i, folder = folder.parent_path())
    for (const char *below : {".", "lib/heddle", "lib"})
      if (fs::path found = folder / below / CompilerLibrary; fs::exists(found, ignored))
        return found;
  return {};
}

LoadedCompiler load() {
  const fs::path path = libraryPath();
  if (path.empty())
    return {nullptr, fmt::format("{} is not installed", CompilerLibrary)};
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return {nullptr, dlerror()};
  auto make = reinterpret_cast<CompilerFactoryFunction>(dlsym(library, CompilerFactory));
  if (!make)
    return {nullptr, fmt::format("{} is of another version", CompilerLibrary)};
  return {make(), {}};
}

const LoadedCompiler &compilerOnce() {
  static const LoadedCompiler loaded = load();
  return loaded;
}

Engine fromEnvironment() {
  const char *given = std::getenv("HEDDLE_ENGINE");
  return given ? engineOf(given).value_or(Engine::Interpreter) : Engine::Interpreter;
}

Engine &chosen() {
  static Engine engine = fromEnvironment();
  return engine;
}

LaunchShape shapeOf(const Dim3 &block) {
  if (block.x % Lanes == 0 || (block.y == 1 && block.z == 1))
    return LaunchShape::Rows32;
  return block.x % 16 == 0 ? LaunchShape::Rows16 : LaunchShape::Any;
}

/// One at a time: two launches may need the same code.
std::mutex &compileGuard() {
  static std::mutex guard;
  return guard;
}

void complainOnce(const std::string &text) {
  static std::once_flag flag;
  std::call_once(flag, [&] { std::cerr << "heddle: " << text << "\n"; });
}

void compileOne(Compiler &compiler, const Kernel &kernel, const Code &code, LaunchShape shape) {
  if (code.compiled[unsigned(shape)].load(std::memory_order_relaxed))
    return;
  CompileRequest request{kernel, code, registerLocs(*code.function), {}, shape};
  for (const ptx::Instr &instr : code.function->instrs)
    request.destinations.push_back(uint8_t(countDests(*code.function, instr)));
  std::string why;
  std::unique_ptr<CompiledCode> made = compiler.compile(request, why);
  if (!why.empty())
    complainOnce(fmt::format("{} is interpreted: {}", code.function->name, why));
  const CompiledCode *held = made.get();
  kernel.compiledCodes.push_back(std::move(made));
  code.compiled[unsigned(shape)].store(held, std::memory_order_release);
}

} // namespace

std::optional<Engine> engineOf(std::string_view name) {
  for (Engine each : {Engine::Interpreter, Engine::Jit})
    if (name == nameOf(each))
      return each;
  return std::nullopt;
}

std::string_view nameOf(Engine engine) { return engine == Engine::Jit ? "jit" : "interpreter"; }

Engine engine() { return chosen(); }
void setEngine(Engine engine) { chosen() = engine; }

std::string whyNoCompiler() { return compilerOnce().problem; }

void useCompiled(Grid &grid) {
  // Observers and steering are called for single instructions, which compiled code does not have.
  if (engine() == Engine::Interpreter || grid.interests || grid.request.steering)
    return;
  const LoadedCompiler &loaded = compilerOnce();
  if (!loaded.compiler) {
    complainOnce("kernels are interpreted: " + loaded.problem);
    return;
  }
  grid.shape = shapeOf(grid.request.block);
  grid.compiles = true;
  std::lock_guard lock(compileGuard());
  for (const auto &code : grid.kernel.codes)
    compileOne(*loaded.compiler, grid.kernel, *code, grid.shape);
}

} // namespace heddle::vm
