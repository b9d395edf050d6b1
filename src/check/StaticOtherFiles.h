// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of several files (nvcc -rdc=true) is linked, and the static check has one of them.
#pragma once

#include "check/Static.h"

#include <memory>

namespace heddle::vm {
class Kernel;
}

namespace heddle::check {

/// A module that defines the `extern` variables of this one, so that it can be loaded: what they hold is data, as in all
/// global memory. Null where there are none.
std::shared_ptr<const ptx::Module> variablesOfOtherFiles(const ptx::Module &module);

/// Adds a reason if the kernel uses a variable of another file of which too little is known: its size, or its values where
/// those of constant memory are assumed. Nothing is decided about such a kernel. Whether there is one.
bool noteVariablesOfOtherFiles(StaticResult &result, const vm::Kernel &kernel, const StaticOptions &options);

} // namespace heddle::check
