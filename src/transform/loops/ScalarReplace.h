// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// `scalar-replace`: elements of shared arrays that a short loop reads more than once, in this iteration and
/// the next, are read once, before the loop.
///
///     for (unsigned kx = 0; kx < 2; ++kx)                  float nearC[3];
///       sum += C[2 * threadIdx.x + kx + 1]          =>     for (unsigned j = 0; j < 3; ++j)
///            + C[2 * threadIdx.x + kx];                      nearC[j] = C[threadIdx.x * 2 + j];
///                                                          for (unsigned kx = 0; kx < 2; ++kx)
///                                                            sum += nearC[kx + 1] + nearC[kx];
///
/// For loops of constant length that hold no barrier: the work loops of `coarsen map=blocked` are such.
/// Compilers do not do this where the reads are guarded, since they cannot know that the element is there.
/// Here it must be proved: all elements are inside the array for every thread of the block, which must be
/// known. Loops with nothing to gain stay.
PassResult scalarReplace(Context &context);

} // namespace heddle::transform
