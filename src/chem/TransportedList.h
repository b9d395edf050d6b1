// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "chem/Mechanism.h"
#include "chem/SourceText.h"

#include <optional>
#include <vector>

namespace heddle::chem {

/// PelePhysics' way to say which species are quasi-steady: a YAML file with those that are not,
///     species: ['H2', 'O2', NO]
/// The others are given back, by their places in the mechanism and in its order. Names that the mechanism
/// does not have are left out with a warning, as there: lists are shared between versions of a mechanism.
std::optional<std::vector<unsigned>> readQuasiSteadyFromTransported(const SourceText &source,
                                                                    const Mechanism &mechanism,
                                                                    Diagnostics &diagnostics);

} // namespace heddle::chem
