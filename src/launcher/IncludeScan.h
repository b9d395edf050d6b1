// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::launcher {

/// Where compilers look for headers, by the flags of CompilerCommand::parseFlags.
struct IncludeFolders {
  std::vector<std::filesystem::path> quoted; ///< -iquote
  std::vector<std::filesystem::path> user;   ///< -I
  std::vector<std::filesystem::path> system; ///< -isystem, -idirafter
  std::vector<std::string> forced;           ///< -include

  static IncludeFolders of(const std::vector<std::string> &flags);
};

/// A file that a source may include, and what is in it.
struct ScannedFile {
  std::filesystem::path path;
  std::string text;
  bool mayHavePragma = false; ///< some line reads `#pragma heddle`, or a `_Pragma` does
};

struct Scan {
  std::vector<ScannedFile> files; ///< the source first, each once, in the order in which they were found
  bool mayHavePragma = false;     ///< some file does
  bool hasUnknown = false;        ///< some #include names no file but a macro: not all files are known
};

enum class SystemHeaders { No, Yes };

/// Every file that `source` may include, without preprocessing: what conditions exclude is included. Fast enough to be done for
/// each file of a build; most have no pragma and need nothing else.
///
/// Headers of the toolkit and of the host compiler are never looked at; those of -isystem folders on request.
Scan scanIncludes(const std::filesystem::path &source, const IncludeFolders &folders, SystemHeaders system);

/// Whether a text may have a pragma of ours, by the same rules.
bool mayHavePragma(const std::string &text);

} // namespace heddle::launcher
