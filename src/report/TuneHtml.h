// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Report.h"

namespace heddle::report {

/// A search as one HTML page that needs nothing beside it: what came of it, every candidate over the search
/// and against the occupancy, the best so far, all results with reasons, and what the winner changes in the
/// text.
std::string tuneHtml(const tune::Report &report);

} // namespace heddle::report
