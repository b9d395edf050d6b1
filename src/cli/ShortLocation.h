// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

namespace heddle::cli {

/// Files below the current folder by their path from there: how compilers and people name them.
void shorten(SourceLocation &location);

} // namespace heddle::cli
