// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <string>

namespace heddle {

/// The first line of a message or of a note, "file:line:col: error: what is wrong"; `where` may be empty.
std::string messageHeader(const std::string &where, Severity severity, const std::string &text, bool colour);
std::string noteHeader(const std::string &where, const std::string &text, bool colour);

} // namespace heddle
