// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle check --static.
#pragma once

#include "build/Program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace heddle::cli {

struct Session;

/// What the command line says to the static check.
struct StaticChoices {
  bool wanted = false; ///< --static was there
  std::string kernel, block, grid, ctaid;
  std::optional<uint32_t> shared;
  std::vector<std::string> parameters;
  bool allowsNoKernels = false;
  bool constants = false; ///< hold what the file says
  bool lockstep = false;  ///< --assume lockstep
};

/// Where the result goes besides stdout, and in which form.
struct CheckOutput {
  bool json = false;
  std::string sarif, page; ///< files
};

void addStaticOptions(CLI::App &verb, StaticChoices &choices);
/// Checks the kernels of the .ptx and .cu files that the options name, one after the other; prints, and leaves the exit code.
void checkStatically(const build::ProgramOptions &options, const StaticChoices &choices,
                     const CheckOutput &output, Session &session);

} // namespace heddle::cli
