// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clang {
class Sema;
}

namespace heddle::source {

/// To be called while Clang parses a file with a precompiled header: at the end of the file, what was precompiled is not read back for
/// warnings that nobody sees, nor for errors that did not occur.
void spareReadingAtEnd(clang::Sema &sema);

} // namespace heddle::source
