// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a kernel as short texts.
#pragma once

#include "analysis/KernelFacts.h"
#include "analysis/WarpAccess.h"
#include "report/Html.h"

#include <string>

namespace heddle::report {

/// How the lanes of a warp reach memory, and whether that is as it should be.
struct AccessWords {
  std::string
      text; ///< "coalesced, 4 sectors", "4 of 32 lanes: coalesced, 1 sector", "32-way bank conflict"; or why it is not known
  Tone tone = Tone::Info;
};
AccessWords accessWords(const analysis::KernelFacts &facts, const analysis::Access &access);

/// "coalesced, 4 sectors if w is a multiple of 8, else 4 or 5", where the number is not always the same; else nothing.
std::string conditionalSectors(const analysis::WarpAccess &warp);

/// ", 64 iterations later, if the loop runs more than 64 times" of reuse through a loop; else nothing.
std::string laterText(const analysis::Reuse &reuse);

/// "[blockIdx.x*256 + threadIdx.x]", or why there is no such form.
std::string subscriptText(const analysis::Access &access);

/// A constant of the file or a local array has no traffic that a launch or a merge of threads would change.
bool isTraffic(const analysis::Array &array);

/// "if", "loop", "&& or ||"
std::string branchText(analysis::DivergentBranch::Kind kind);

/// A step's text with the line that it calls "here": a report is not at that line.
std::string withLine(const analysis::Step &step);

/// "(16, 16)", "(?)"
std::string shapeText(const std::array<std::optional<int64_t>, 3> &xyz);
std::string bytesText(int64_t bytes);

} // namespace heddle::report
