// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

#include <string_view>
#include <vector>

namespace heddle::arch {

/// One number of a table: where it is in the JSON, where in the struct, and how people read it. The
/// reader, the checker, the JSON writer and the page printer all walk this one list.
struct NumberField {
  std::string_view group, key;
  unsigned Arch::*member;
  enum Kind { Count, Bytes, Megahertz, GigabytesPerSecond, BytesPerCycle, Nanoseconds } kind;
  enum Zero { Never, Allowed } zero;
  std::string_view label;
};

const std::vector<NumberField> &numberFields();

} // namespace heddle::arch
