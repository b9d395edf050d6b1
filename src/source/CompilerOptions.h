// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which words of a command line are options of a CUDA compiler, by nvcc's table (NvccOptions.h) and that of Clang's own driver.
#pragma once

#include <string>
#include <vector>

namespace heddle::source {

/// Whether nvcc or Clang has this option; a value may be part of the word.
bool isCompilerOption(const std::string &word);

/// Whether nvcc takes the word after this one as the option's value.
bool takesNextWord(const std::string &word);

/// Options that name a GPU generation, as they were written, with the generation: {"-arch=sm_80", "sm_80"}. The second is empty where
/// the value is none ("native").
struct ArchOption {
  std::string words, arch;
};
std::vector<ArchOption> archOptions(const std::vector<std::string> &words);

} // namespace heddle::source
