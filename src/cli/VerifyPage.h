// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Verification.h"
#include "VerifyText.h"

namespace heddle::cli {

/// The HTML page of `heddle verify`.
std::string verifyPage(const Verification &given, const std::array<std::string, 2> &names,
                       const Verdict &verdict, const OtherInputs &others);

} // namespace heddle::cli
