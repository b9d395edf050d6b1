// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Executors.h"
#include "tune/Report.h"

namespace heddle::tune {

/// After a search that timed one launch by itself: runs the whole program with the fastest candidate, and keeps it only where
/// all launches of the program together take no longer than with the baseline, and results are the same. Of candidates that do
/// not hold, the next is tried, a few of them; then the baseline stays. The report's winner is the one that held, and its
/// `wholeProgram` has the times of all launches before and after.
///
/// `chosen` is what holds already for other kernels of the program: candidates are run together with it, and compared with it.
void confirmWinner(Report &report, LocalExecutor &whole, const Configuration &chosen = {});

/// Several kernels of a program, each searched by itself: confirms the winner of each together with those before it.
/// `reports`: the kernel that takes longest first. What is left is in the first report: its `chosen`, and its `wholeProgram`.
void confirmTogether(std::vector<Report> &reports, LocalExecutor &whole);

} // namespace heddle::tune
