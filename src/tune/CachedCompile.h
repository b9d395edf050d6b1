// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/CompileCache.h"
#include "runner/Toolchain.h"

namespace heddle::tune {

/// Compiles a program by nvcc, or has what nvcc made of the same text before. Where a program has several files, or is linked to
/// libraries of the user, each file is compiled by itself, so that those that a search does not change are compiled once; linking is
/// always done.
ProcessResult compileCached(const build::CompileCache &cache, const runner::CompileCommand &command);

} // namespace heddle::tune
