// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The help of heddle-runner as values: what its --help and its man page, which `heddle help --man` writes, are made of.
#pragma once

#include <string>
#include <vector>

namespace heddle::runner {

struct RunnerOption {
  const char *name, *value; ///< "--jobs" and "N"; the value is empty for a flag
  const char *help;
};

struct RunnerHelp {
  const char *summary;   ///< one line, without a full stop
  const char *examples;  ///< lines that are shown as they are
  const char *details;   ///< a paragraph
  const char *usage;     ///< what follows the name
  const char *exitCodes; ///< a paragraph
  std::vector<RunnerOption> options;
};

const RunnerHelp &runnerHelp();
/// What --help prints.
std::string runnerHelpText();

} // namespace heddle::runner
