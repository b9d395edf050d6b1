// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A species of a Cantera YAML file: composition, thermo and transport data.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Names.h"
#include "chem/YamlValues.h"

namespace heddle::chem {

/// What is wrong is reported, and the species then without it. Elements are those of the phase.
Species readYamlSpecies(const YamlNode &node, const std::vector<Element> &elements,
                        const NameTable &elementNames, const YamlUnits &units, const YamlValues &values);

} // namespace heddle::chem
