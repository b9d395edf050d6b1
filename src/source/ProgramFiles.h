// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Inclusions.h"
#include "source/Reading.h"
#include "source/Toolkit.h"
#include "support/Diagnostics.h"

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::source {

/// A translation unit of a program, and how it is compiled.
struct ProgramFile {
  std::filesystem::path file;
  CompileOptions compile;
};

/// The flags of all units, for a text that has all of them.
CompileOptions flagsOfAll(const std::vector<ProgramFile> &files);

/// The text of a file that includes all units.
std::string includingAll(const std::vector<ProgramFile> &files);

/// Whether translation units mean the same when they are read as one text.
struct ProgramReading {
  enum class Kind {
    Same,
    NotReadable,    ///< one of them
    DoesNotCompile, ///< one of them by itself
    Different, ///< names clash, or macros or names of one reach into another: a refusal is in `diagnostics`
  } kind = Kind::Same;
  std::filesystem::path failed; ///< the unit that does not compile
  std::string compilerMessages;
  Diagnostics diagnostics;
  Reading separate; ///< of the units by themselves
  Inclusions inclusions;
};

/// The first error of Clang's messages, without its location; empty where there is none.
std::string firstError(const std::string &messages);

/// `joined` is the name that the one text has.
ProgramReading readSeparately(const std::vector<ProgramFile> &files, const std::filesystem::path &joined);

} // namespace heddle::source
