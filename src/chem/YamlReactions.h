// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reaction of a Cantera YAML file.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Names.h"
#include "chem/YamlValues.h"

#include <optional>

namespace heddle::chem {

/// Nothing where its equation is wrong; without a sensible rate where only that is. Both are reported.
/// `skipsThirdBodies`: efficiencies of species that are not declared are no fault.
std::optional<Reaction> readYamlReaction(const YamlNode &node, const NameTable &species,
                                         bool skipsThirdBodies, const YamlUnits &units,
                                         const YamlValues &values);

} // namespace heddle::chem
