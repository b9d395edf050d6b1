// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/Abi.h"

#include <functional>

namespace heddle::cudart {

class Runtime;

/// What makes this copy, as often as it is called: the node of a graph. An error if the copy cannot be made.
cudaError_t repeatedCopy(Runtime &runtime, const cudaMemcpy3DParms &parameters, std::function<void()> &work);

} // namespace heddle::cudart
