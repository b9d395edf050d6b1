// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::generator {

/// Something of the language that programs use, and what directives do with it.
struct Construct {
  const char *name;
  /// Every directive that asks what the code executes refuses it: docs/directives says so. Such constructs are rare in
  /// programs, because a refused program tests little else.
  bool isRefused = false;
};

/// All that `Program::constructs` may name.
const std::vector<Construct> &allConstructs();

} // namespace heddle::generator
