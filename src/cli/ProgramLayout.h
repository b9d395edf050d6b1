// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the files of a transformed program go, and how their #include lines find each other there.
#pragma once

#include "transform/WholeProgram.h"

#include <filesystem>
#include <set>
#include <string>

namespace heddle::cli {

/// The files lie to each other as the originals do: relative to the deepest folder that holds all of them.
class ProgramLayout {
public:
  ProgramLayout(const transform::ProgramOutcome &outcome, std::filesystem::path folder);

  std::filesystem::path pathOf(const std::filesystem::path &original) const;

  /// #include "..." of files that are not written.
  enum class Others { Rewritten, Kept };
  /// The file's text as it is to be written: an #include of a file that is written as well names the new one, however the old
  /// one was found.
  std::string placed(const transform::ProgramOutcome::File &file, Others others) const;

private:
  const transform::ProgramOutcome &outcome;
  std::filesystem::path folder, base;
  std::set<std::filesystem::path> written; ///< canonical paths of the originals
};

} // namespace heddle::cli
