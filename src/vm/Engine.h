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
  Jit, ///< compiled code, made before a launch begins; where it stops, the interpreter
};

std::optional<Engine> engineOf(std::string_view name);
std::string_view nameOf(Engine engine);

/// The engine of launches from now on. At first what HEDDLE_ENGINE names, else the interpreter.
Engine engine();
void setEngine(Engine engine);

/// Why the compiler cannot be used; empty if it can.
std::string whyNoCompiler();

/// Compiles the kernel of a launch and the functions that it calls, if the engine says so.
void useCompiled(Grid &grid);

/// The compiled form of what a split executes; nullptr if the interpreter is to be used.
inline const CompiledCode *compiledFor(const Split &split, const Grid &grid) {
  return grid.compiles ? split.frame->code->compiled[unsigned(grid.shape)].load(std::memory_order_acquire)
                       : nullptr;
}

} // namespace heddle::vm
