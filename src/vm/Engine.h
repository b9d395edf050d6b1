// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Grid.h"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::vm {

/// What executes kernels.
enum class Engine : uint8_t {
  Interpreter,
  Jit,  ///< compiled code, made when it is needed; where it stops, the interpreter
  Auto, ///< the interpreter, and for what it has executed often, compiled code as soon as that is made in the background
};

std::optional<Engine> engineOf(std::string_view name);
std::string_view nameOf(Engine engine);

/// The engine of launches from now on. At first what HEDDLE_ENGINE names, else the interpreter.
Engine engine();
void setEngine(Engine engine);

/// When Engine::Auto compiles a function. Compiling pays for itself if the function goes on for as long as it has run so far, so it
/// begins when interpreting has taken about as long as compiling will take. Both are proportional to numbers of instructions.
struct Hotness {
  /// Warp instructions for each PTX instruction of the function: it is compiled in about 0.2 ms, in which 6000 are interpreted.
  uint64_t perInstruction = 6000;
  /// And for the library, which is loaded in about 0.1 s.
  uint64_t atLeast = 3'000'000;
  /// Entries without compiled code for the lanes that are there. Its other version was made before: lanes are separated now and then in
  /// many kernels, and often in few.
  uint32_t missedEntries = 4096;
  bool inBackground =
      true; ///< tests wait instead, so that compiled code begins at the same instruction in each run
};
Hotness &hotness();

/// Functions of more instructions are compiled in parts. 0, as it is at first: what the compiler does best. For tests.
void setMostInPart(uint32_t instructions);
uint32_t mostInPart();

/// Why the compiler cannot be used; empty if it can.
std::string whyNoCompiler();

/// Prepares a launch for the engine.
void useCompiled(Grid &grid);

/// The compiled form of a code in a launch; nullptr if the interpreter is to be used.
inline const CompiledCode *compiledFor(const Code &code, const Grid &grid) {
  return grid.compiles ? code.tiers[grid.compiledFor.index()].compiled.load(std::memory_order_acquire)
                       : nullptr;
}

/// Makes a part of a version, or has it made later, if that is due.
CompiledFunction missingFunction(CompiledVersion &version, uint32_t part, const Code &code, const Grid &grid);
inline CompiledFunction functionOf(CompiledVersion &version, uint32_t part, const Code &code,
                                   const Grid &grid) {
  CompiledFunction made = version.parts[part].run.load(std::memory_order_acquire);
  return made ? made : missingFunction(version, part, code, grid);
}

/// Functions that were executed in this process, by name, and those of them of which compiled code was.
struct ExecutedFunctions {
  size_t all = 0, compiled = 0;
};
ExecutedFunctions executedFunctions();
void countExecuted(const Code &code, bool isCompiled);

inline void noteExecuted(const Code &code) {
  if (!code.wasExecuted.load(std::memory_order_relaxed)) [[unlikely]]
    countExecuted(code, false);
}
inline void noteCompiled(const Code &code) {
  if (!code.wasCompiled.load(std::memory_order_relaxed)) [[unlikely]]
    countExecuted(code, true);
}

void considerCompiling(const Code &code, const Grid &grid, bool forAllLanes);
inline void noteInterpreted(const Code &code, const Grid &grid, uint64_t instructions, bool forAllLanes) {
  if (!grid.compilesHot)
    return;
  Tier &tier = code.tiers[grid.compiledFor.index()];
  if (tier.isAsked.load(std::memory_order_relaxed))
    return;
  tier.interpreted.fetch_add(instructions, std::memory_order_relaxed);
  considerCompiling(code, grid, forAllLanes);
}

} // namespace heddle::vm
