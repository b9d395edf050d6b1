// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Mechanism.h"

namespace heddle::chem {

/// Makes one range of neighbours with equal coefficients: atoms often have the same ones twice, and Cantera's
/// converter joins them, so that the files of a mechanism would differ.
void joinEqualRanges(std::vector<Nasa7Range> &ranges);

} // namespace heddle::chem
