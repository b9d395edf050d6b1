// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

/// Generates kernels as `heddle chem WORDS` does, -o DIR among them, without printing anything: what is wrong
/// in one line, or nothing.
std::string generateKernels(std::vector<std::string> words);

} // namespace heddle::cli
