// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which engine executes kernels: what is compiled, and when.
#include "vm/Engine.h"

#include "vm/CompileQueue.h"
#include "vm/CompilerLibrary.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>

namespace heddle::vm {
namespace {

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

void complainOnce(const std::string &text) {
  static std::once_flag flag;
  std::call_once(flag, [&] { std::cerr << "heddle: " << text << "\n"; });
}

struct Executed {
  std::mutex guard;
  std::map<std::string, bool>
      isCompiled; ///< by name: kernels that call the same function have a Code of it each
};

Executed &executed() {
  static auto *only = new Executed; // programs ask when they end
  return *only;
}

std::atomic<uint32_t> mostInstructionsInPart = 0;

void makeOrAsk(const CompileJob &job) {
  if (hotness().inBackground)
    compileLater(job);
  else if (Compiler *compiler = compilerOnce().compiler)
    compileNow(*compiler, job);
}

} // namespace

std::optional<Engine> engineOf(std::string_view name) {
  for (Engine each : {Engine::Interpreter, Engine::Jit, Engine::Auto})
    if (name == nameOf(each))
      return each;
  return std::nullopt;
}

std::string_view nameOf(Engine engine) {
  switch (engine) {
  case Engine::Jit: return "jit";
  case Engine::Auto: return "auto";
  case Engine::Interpreter: break;
  }
  return "interpreter";
}

Engine engine() { return chosen(); }
void setEngine(Engine engine) { chosen() = engine; }

Hotness &hotness() {
  static Hotness only;
  return only;
}

void setMostInPart(uint32_t instructions) { mostInstructionsInPart = instructions; }
uint32_t mostInPart() { return mostInstructionsInPart; }

std::string whyNoCompiler() { return compilerOnce().problem; }

void useCompiled(Grid &grid) {
  // Steering, and observers of single instructions, are called for each, which compiled code does not have.
  const ObservedForm form = grid.observer ? grid.observer->form() : ObservedForm::Nothing;
  if (engine() == Engine::Interpreter || grid.request.steering)
    return;
  if (grid.interests && form == ObservedForm::Nothing) {
    if (engine() == Engine::Jit)
      complainOnce("kernels are interpreted, not compiled: this run observes single instructions, "
                   "which compiled code does not report");
    return;
  }
  grid.compiledFor = {shapeOf(grid.request.block), form};
  if (engine() == Engine::Auto) {
    grid.compiles = grid.compilesHot = true;
    return;
  }
  const LoadedCompiler &loaded = compilerOnce();
  if (!loaded.compiler) {
    complainOnce("kernels are interpreted: " + loaded.problem);
    return;
  }
  grid.compiles = true;
  for (const auto &code : grid.kernel.codes) {
    const std::string why = compileNow(
        *loaded.compiler, {&grid.kernel, code.get(), grid.compiledFor, grid.threadsPerBlock >= Lanes});
    if (!why.empty())
      complainOnce(fmt::format("{} is interpreted: {}", code->function->name, why));
  }
}

CompiledFunction missingFunction(CompiledVersion &version, uint32_t part, const Code &code,
                                 const Grid &grid) {
  CompiledPart &missing = version.parts[part];
  if (missing.isAsked.load(std::memory_order_relaxed))
    return nullptr;
  if (grid.compilesHot && !version.isWanted.load(std::memory_order_relaxed) &&
      version.missed.fetch_add(1, std::memory_order_relaxed) < hotness().missedEntries)
    return nullptr;
  version.isWanted.store(true, std::memory_order_relaxed);
  if (missing.isAsked.exchange(true))
    return nullptr;
  const CompiledCode *compiled = compiledFor(code, grid);
  const CompileJob job{&grid.kernel, &code, grid.compiledFor, &version == &compiled->whole, part};
  if (grid.compilesHot)
    makeOrAsk(job);
  else
    compileNow(*compilerOnce().compiler, job);
  return missing.run.load(std::memory_order_acquire);
}

void considerCompiling(const Code &code, const Grid &grid, bool forAllLanes) {
  Tier &tier = code.tiers[grid.compiledFor.index()];
  const uint64_t needed = hotness().atLeast + hotness().perInstruction * code.function->instrs.size();
  if (tier.interpreted.load(std::memory_order_relaxed) >= needed && !tier.isAsked.exchange(true))
    makeOrAsk({&grid.kernel, &code, grid.compiledFor, forAllLanes});
}

ExecutedFunctions executedFunctions() {
  std::lock_guard lock(executed().guard);
  ExecutedFunctions found;
  for (const auto &[name, isCompiled] : executed().isCompiled) {
    ++found.all;
    found.compiled += isCompiled;
  }
  return found;
}

void countExecuted(const Code &code, bool isCompiled) {
  (isCompiled ? code.wasCompiled : code.wasExecuted).store(true, std::memory_order_relaxed);
  std::lock_guard lock(executed().guard);
  executed().isCompiled[code.function->name] |= isCompiled;
}

} // namespace heddle::vm
