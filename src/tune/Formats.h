// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches in the words of other programs.
#pragma once

#include "tune/Problem.h"
#include "tune/Report.h"
#include "tune/Search.h"

#include <string>

namespace heddle::tune {

/// Results in the T4 format of the autotuning community: one entry for each candidate, whatever became of it.
/// Times are in milliseconds, as other tuners have them; the objective "time" is a measurement with its unit.
std::string t4Json(const Report &report);

/// The space and how it was searched, in the T1 format of the same people.
std::string t1Json(const Report &report, const Problem &problem, const Budget &budget);

/// What `heddle tune --json` prints: schema "heddle.tune/2".
std::string reportJson(const Report &report);

} // namespace heddle::tune
