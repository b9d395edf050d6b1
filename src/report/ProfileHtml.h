// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/ProfileReport.h"

#include <string>

namespace heddle::report {

/// The HTML page of `heddle profile`: of each kernel the source with executions, active lanes and lost lane slots at its lines,
/// basic blocks, what the cost model says that it is bound by, its roofline and occupancy, and what regrouping threads would
/// save. Files of `launches` are named as a reader of the page would name them, and are read.
std::string profileHtml(const std::string &program, const ProfileOfProgram &profile,
                        const divergence::ProgramProfile &launches);

} // namespace heddle::report
