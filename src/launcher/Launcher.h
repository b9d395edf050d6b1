// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::launcher {

/// Calls a compiler as ccache does: `words` is its command line. The CUDA sources among its inputs that have directives are
/// transformed first, and the compiler gets the transformed text in their places; everything else about the call
/// stays, and where there is nothing to transform the process becomes the compiler itself.
///
/// Messages go to the standard error, with `colour` in colors. Returns the exit code, and ends with the signal that ended the compiler.
int launch(const std::vector<std::string> &words, bool colour);

} // namespace heddle::launcher
