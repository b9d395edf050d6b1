// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::cli {

/// Generates kernels as `heddle chem WORDS` does, -o DIR among them, without printing anything: what is wrong
/// in one line, or nothing.
std::string generateKernels(std::vector<std::string> words);

/// What is wrong with a word, and what was probably meant.
struct WrongWord {
  std::string text, hint;
};

/// Of a list of kernels as --kernel takes it.
std::optional<WrongWord> wrongKernel(const std::string &kernels);
/// Of an option with alternatives, "--warps=4|8".
std::optional<WrongWord> wrongOption(const std::string &option);

} // namespace heddle::cli
