// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"

namespace heddle::build {

/// False, with the reason, where the flags ask for what no build for the machine can give: device code that
/// is linked across files.
bool flagsAreSupported(const std::vector<std::string> &flags, Diagnostics &diagnostics);

/// A build failed: where the compiler's or the linker's words mean that the program wants something the
/// machine does not have, says what it is and what to do.
void explainFailure(const std::string &messages, Diagnostics &diagnostics);

} // namespace heddle::build
