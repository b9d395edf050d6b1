// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Compiled.h"

#include <string>

namespace heddle::vm {

/// The compiler, or why there is none.
struct LoadedCompiler {
  Compiler *compiler = nullptr;
  std::string problem;
};

/// Loads the library the first time; any thread may ask.
const LoadedCompiler &compilerOnce();

} // namespace heddle::vm
