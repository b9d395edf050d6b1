// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// For directives that change what a launch must look like: sees to it that no launch of the target is missed
/// (source/OtherLaunches). Where another file could launch the kernel only by declaring it by hand, the
/// kernel becomes static, with a warning:
///
///     __global__ void k(float *a)   =>   __global__ static void k(float *a)
///
/// A file that launches it all the same does not link, instead of launching it with the wrong block; and the
/// kernel of a header, of which other files have the original, shares no name with theirs. False, with a
/// refusal, where a launch may be missed in another way.
bool closeKernel(Context &context);

/// Whether the launches in the file are all that the target has, as it is: facts about them hold.
bool hasNoOtherLaunches(const Context &context);

} // namespace heddle::transform
