// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/ProgramFiles.h"
#include "transform/Pipeline.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace heddle::transform {

/// What became of a program.
struct ProgramOutcome {
  Outcome outcome; ///< `text` is that of all files joined, which nobody needs
  /// Done: the new text of each translation unit, in their order, and of each header that is not as it was, or that includes such a
  /// header: units that are written elsewhere must not find the old one through it.
  struct File {
    std::filesystem::path file;
    std::string text;
    bool isUnit = true;
  };
  std::vector<File> files;
  source::Inclusions inclusions;
  std::set<std::filesystem::path> read; ///< every file of the user's, by its canonical path
};

/// Carries out directives on several translation units as on one: the pragmas of the units and of the headers they include, in the
/// order of the text, then `further`. Launches are looked for in all units.
///
/// Units that do not mean the same when they are read as one text are refused (source/ProgramFiles.h).
ProgramOutcome applyToProgram(const std::vector<source::ProgramFile> &units,
                              const std::vector<Directive> &further, const Options &options,
                              Diagnostics &diagnostics);

/// The deepest folder that all files are in; absolute.
std::filesystem::path commonFolder(const std::vector<std::filesystem::path> &files);

} // namespace heddle::transform
