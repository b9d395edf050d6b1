// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"
#include "ptx/Module.h"

namespace heddle::vm {
class Kernel;
}

namespace heddle::check {

/// The first instruction that uses an `extern __shared__` array, whose size a launch gives; null: there is none.
const ptx::Instr *dynamicSharedAt(const vm::Kernel &kernel);

/// The bytes that the kernel is executed with. Where they are not given, as many as any launch can give: then every
/// address that is inside of the memory of some launch is inside here, and races, barriers and initialization are
/// decided for every size. Only bounds, and what reads the size, are not.
uint32_t dynamicSharedBytes(const vm::Kernel &kernel, const StaticOptions &options);

/// Bounds are undecided where the size is not given.
void noteDynamicShared(StaticResult &result, const vm::Kernel &kernel, const StaticOptions &options);

} // namespace heddle::check
