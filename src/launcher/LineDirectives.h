// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/MappedText.h"

#include <string>
#include <vector>

namespace heddle::launcher {

/// A text with `#line` where its lines stop following those that they come from, so that messages, __FILE__, __LINE__ and
/// debuggers name the file as it was given, which is `name`.
///
/// A directive cannot be put inside a token, after a continued line or among the arguments of a macro; there numbers may be
/// off until the next place where it can.
std::string withLineDirectives(const std::string &text, const std::vector<source::LineOrigin> &origins,
                               const std::string &name);

} // namespace heddle::launcher
