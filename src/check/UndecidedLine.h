// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"

#include <string>

namespace heddle::check {

/// The undecided properties in one line, each reason once: "all 7 properties (why)", "deadlock (why); barrier use and
/// shared-memory bounds (why)". Empty where there are none.
std::string undecidedLine(const StaticResult &result);

} // namespace heddle::check
