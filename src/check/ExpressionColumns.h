// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

namespace heddle::check {

/// Lets a location that is from a line table point to the expression that is accessed, as far as the text of its line allows. Clang
/// gives a store the location of its operator:
///
///     tile[i] = in[i];                   tile[i] = in[i];
///             ^                   =>     ^~~~~~~
///
/// and a load that of its beginning, of which the rest is underlined. At the beginning of a statement only a store's is known to
/// be what is meant: nvcc's tables give all accesses of a statement that location, so it is left as it is.
void pointAtExpression(SourceLocation &location);

} // namespace heddle::check
