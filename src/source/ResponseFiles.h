// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines that are partly in files: `@file` for Clang and GCC, `--options-file file` for nvcc.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::source {

/// Whose options a command line has: nvcc's own, or those that Clang and GCC share.
enum class Dialect { Nvcc, Clang };

/// A word of a command line, and whether it is in a response file.
struct CommandWord {
  std::string text;
  bool isInFile = false;
  size_t given = 0; ///< which of the words given it is, or names the file it is in
};

/// The words with those of response files in their places, also of files that files name. A relative name is looked for in `folder`;
/// empty: where we are. A file that cannot be read leaves its word as it is, for the compiler to complain of.
std::vector<CommandWord> withResponseFiles(const std::vector<std::string> &words, Dialect dialect,
                                           const std::filesystem::path &folder = {});

} // namespace heddle::source
