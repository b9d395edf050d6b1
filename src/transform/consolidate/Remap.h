// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Second stage of `consolidate`: shared arrays of a kernel of one warp become registers striped over lanes.
/// Element i lies in lane i mod 32, register i div 32; what lanes exchange is a shuffle.
///
/// Wanted on entry: a kernel launched with blocks of 32 threads. Arrays whose accesses are not fixed patterns
/// stay in shared memory, with the reason; `remap=on` with no array that can move is refused.
PassResult remapShared(Context &context);

} // namespace heddle::transform
