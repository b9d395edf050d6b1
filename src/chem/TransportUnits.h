// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::chem {

inline constexpr double angstrom = 1e-10;      ///< m
inline constexpr double cubicAngstrom = 1e-30; ///< m3

} // namespace heddle::chem
