// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Case.h"

#include <string>

namespace heddle::bench {

/// Compares a result with that of another engine; empty if they agree, else the first element that differs.
std::string difference(const Argument &argument, const std::vector<uint8_t> &mine,
                       const std::vector<uint8_t> &other);

} // namespace heddle::bench
