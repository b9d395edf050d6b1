// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/MappedText.h"
#include "transform/Context.h"

#include <filesystem>

namespace heddle::transform {

/// In the file itself, not in one that it includes.
bool isInMainFile(const Kernel &kernel);

/// Where a directive looks for what it is about.
struct TargetSearch {
  const source::Program &program;
  const std::filesystem::path &file;
  const std::string &kernel;          ///< -k; empty for all
  std::optional<unsigned> pragmaLine; ///< where the pragma was; nothing for one of the command line
  const source::MappedText &text;     ///< as it is now: `line=` is one of the file as it was given
  const char *where = "this file";    ///< what messages call it
};

/// The kernels that a directive is about: the one behind or around its pragma, the one that -k names, else those of
/// the file itself, or where it has none those of the files it includes. Empty with a message where there is none.
std::vector<Target> targetsOf(const Directive &directive, const TargetSearch &search, Diagnostics &messages);

/// The same for a directive on a loop or a branch: the one kernel with the loop or branch that it is about. Without a line
/// there must be only one that it could mean.
std::vector<Target> targetWithSubject(const Directive &directive, const TargetSearch &search,
                                      std::vector<Target> targets, Diagnostics &messages);

} // namespace heddle::transform
