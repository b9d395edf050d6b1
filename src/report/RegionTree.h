// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"

#include <string>
#include <vector>

namespace heddle::report {

/// A kernel's loops, branches and barriers as a list that opens and closes, with straight-line code between them: its lines,
/// and the number of the barrier region that it is in. `lines` is the text of the kernel's file.
std::string regionTreeHtml(const analysis::KernelFacts &facts, const std::vector<std::string> &lines);

} // namespace heddle::report
