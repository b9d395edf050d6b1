// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle_host.h`, which every generated file for the host includes: blocks of points, what is done where
// fewer are left than a block holds, and threads.
#pragma once

#include "kernels/Emitted.h"

namespace heddle::kernels {

SourceFile hostHeader(Precision precision = Precision::Double);

} // namespace heddle::kernels
