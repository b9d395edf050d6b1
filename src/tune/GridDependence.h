// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Launch.h"

#include <set>
#include <string>

namespace heddle::tune {

enum class Dependence { No, Unknown, Yes };

/// Whether the grid of a launch is computed from one of these constants (macros or variables), directly, through variables, or through
/// functions of the file. Unknown where it is given by something that the file does not show: a parameter of a function that other files call,
/// a member of a class.
Dependence gridDependence(const source::Launch &launch, const std::set<std::string> &constants);

} // namespace heddle::tune
