// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"
#include "tune/Problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tune {

/// Warnings about alternatives of --define ("TILE=8|16") that cannot have an effect: a file of the program defines the name itself, or no file
/// mentions it.
Diagnostics aboutDefines(const Problem &problem, const std::vector<std::string> &defines);

/// Where a text defines the macro whatever the command line says: not under a condition that asks for its name. Line 0: nowhere.
SourceLocation ownDefinition(std::string_view text, const std::string &name);

} // namespace heddle::tune
