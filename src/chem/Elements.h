// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::chem {

/// kg/kmol, of Elements.def; the symbol in any case. Nothing where the table does not have it.
std::optional<double> standardAtomicWeight(std::string_view symbol);

/// "AR" and "ar" as "Ar": one spelling, whatever the file.
std::string elementSymbol(std::string_view written);

} // namespace heddle::chem
