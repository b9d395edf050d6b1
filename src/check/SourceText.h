// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the PTX lacks and the source has: variables that are const, and launches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::ptx {
struct Module;
}

namespace heddle::check {

/// The contents of the source files that the module's line table names, as far as they can be read.
std::vector<std::string> sourcesOf(const ptx::Module &module);

/// Whether each declaration of a `__device__` or `__constant__` variable of that name in the text makes it `const` or
/// `constexpr`, and there is one. A pointer to const is not const itself.
bool isDeclaredConst(std::string_view textWithoutComments, std::string_view name);

/// How the text launches a kernel of that name.
struct LaunchesSeen {
  bool plain = false;       ///< name<<<...>>>
  bool cooperative = false; ///< cudaLaunchCooperativeKernel(name, ...)
  std::vector<size_t>
      at; ///< where the name is in the text, for each launch by <<<...>>> or a function cudaLaunch...
};
LaunchesSeen launchesOf(std::string_view textWithoutComments, std::string_view kernel);

} // namespace heddle::check
