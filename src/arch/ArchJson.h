// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"

#include <nlohmann/json_fwd.hpp>

namespace heddle::arch {

/// The table as it is in arch/*.json, fields in the same order.
nlohmann::ordered_json toJson(const Arch &arch);

} // namespace heddle::arch
