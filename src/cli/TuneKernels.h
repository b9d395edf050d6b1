// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TuneReplay.h"
#include "tune/Report.h"

namespace heddle::cli {

/// A search by captured launches: the kernel that takes longest in total first, then the others by themselves, then the
/// winners together in the whole program. Nothing, and a note, where no launch of the first can be captured and replayed.
std::optional<tune::Report> searchKernels(const TuneRun &run, const tune::SearchOptions &options,
                                          ReplayDevice &device, tune::LocalExecutor &whole);

/// Printed when a search is interrupted.
constexpr const char *whatAnInterruptDoes =
    "the search ends, and the best so far is written; a second ^C ends it at once";

/// What is known of earlier searches is not measured again.
void rememberKept(const TuneRun &run, const tune::Measurer &measurer, tune::LocalExecutor &executor);

} // namespace heddle::cli
