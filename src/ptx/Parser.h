// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"
#include "support/Diagnostics.h"

#include <string_view>

namespace heddle::ptx {

/// Reads PTX text. `path` names it in messages.
///
/// Everything wrong with the text becomes an error in `diagnostics` (at most kMaxErrors, then one that says
/// so), and what could be read is returned: use the module only where there was no error. An instruction that
/// is not known is no error: it stays as Op::Unsupported, is listed in Module::unsupported, and must be
/// refused when it is about to run.
Module parse(std::string_view text, std::string path, Diagnostics &diagnostics);

constexpr unsigned kMaxErrors = 100;

} // namespace heddle::ptx
