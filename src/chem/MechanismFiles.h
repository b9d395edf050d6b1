// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the files of a mechanism that a user names, and reads them.
#pragma once

#include "chem/Mechanism.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace heddle::chem {

enum class MechanismForm { Chemkin, Yaml };

struct MechanismInput {
  /// A folder (chem.inp with therm.dat and tran.dat; or mechanism.yaml), a YAML file, or CHEMKIN files in any
  /// order: they are recognized by their contents.
  std::vector<std::filesystem::path> paths;
  /// Where it is not given: YAML for a file with that ending, else CHEMKIN; a folder without chem.inp is
  /// YAML.
  std::optional<MechanismForm> form;
  bool needsTransport = false; ///< species without transport data are an error
  bool acceptsRepeats = false; ///< as of ChemkinOptions
};

std::optional<Mechanism> readMechanism(const MechanismInput &input, Diagnostics &diagnostics);

} // namespace heddle::chem
