// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "verify/EmittedFile.h"

namespace heddle::cli {

/// Prints to stderr what the check of an emitted file found, and everything that was not decided, with the
/// reason. `allVerdicts`: also of kernels that pass.
void showEmitted(const verify::EmittedFile &file, const verify::EmittedCheck &check, bool allVerdicts,
                 bool colour);

} // namespace heddle::cli
