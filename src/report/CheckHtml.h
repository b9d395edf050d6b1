// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/Html.h"
#include "report/StaticVerdict.h"

#include <string>
#include <vector>

namespace heddle::report {

/// What the page of `heddle check` is made of. Files of locations are named as a reader would name them, and are read.
struct CheckResultPage {
  std::string program;
  std::string mode;               ///< "run on the simulator, 2 schedules"
  std::vector<Card> facts;        ///< launches, accesses: what was looked at
  std::vector<std::string> notes; ///< what was not checked, and why
  std::vector<check::Finding> findings;
  std::vector<KernelVerdict> verdicts; ///< of the static check; their findings are not among `findings`
};

/// Each finding with the source of both sides of it, all of them at their lines, and what the static check decided.
std::string checkHtml(const CheckResultPage &result);

} // namespace heddle::report
