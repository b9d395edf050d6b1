// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a mechanism from CHEMKIN files: a reaction file, and thermo and transport files where the reaction
// file does not hold these itself.
#pragma once

#include "chem/Mechanism.h"
#include "chem/SourceText.h"

#include <filesystem>
#include <optional>

namespace heddle::chem {

/// The three files by name; the last two may be empty.
struct ChemkinFiles {
  std::filesystem::path reactions, thermo, transport;
};

/// The three files as text.
struct ChemkinText {
  SourceText reactions;
  std::optional<SourceText> thermo, transport;
};

struct ChemkinOptions {
  /// Species declared twice, and data given again with other numbers: CHEMKIN takes the first ones, and
  /// well-known files rely on it. They are errors, or with this warnings.
  bool acceptsRepeats = false;
};

/// What is wrong in the files goes to `diagnostics`, all of it in one go; then there is no mechanism.
/// Species without transport data are no fault here (see `checkTransport`).
std::optional<Mechanism> readChemkin(const ChemkinFiles &files, Diagnostics &diagnostics,
                                     const ChemkinOptions &options = {});
std::optional<Mechanism> readChemkin(const ChemkinText &text, Diagnostics &diagnostics,
                                     const ChemkinOptions &options = {});

} // namespace heddle::chem
