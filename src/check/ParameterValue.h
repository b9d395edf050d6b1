// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Isa.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// What the PTX states about a parameter.
struct ParameterType {
  ptx::Type type = ptx::Type::None; ///< of the variable; bits or None: it may be an integer or a float
  uint32_t bytes = 0;
};

/// "an integer of 4 bytes"
std::string typeText(const ParameterType &type);

/// The bytes of the value that the text states; empty where it is no value of that type, or does not fit. An integer is decimal or
/// 0x..., and may have the sign of either kind of integer; a float is anything that strtod reads. Where the type is not known, text
/// with a point or an exponent is a float.
std::vector<uint8_t> bytesOf(const std::string &text, const ParameterType &type);

} // namespace heddle::check
