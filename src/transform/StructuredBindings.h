// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// The first structured binding of a kernel's own text. Transforms that divide the text by the variables that it
/// mentions do not see that `x` of `auto [x, y] = pair;` is a part of a variable, and refuse.
std::optional<Diagnostic> structuredBindingIn(const Kernel &kernel);

} // namespace heddle::transform
