// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a mechanism from a YAML file of Cantera's form.
#pragma once

#include "chem/Mechanism.h"
#include "chem/SourceText.h"

#include <filesystem>
#include <optional>

namespace heddle::chem {

/// The first phase of the file. What is wrong in it goes to `diagnostics`, all of it in one go; then there is
/// no mechanism. A reaction and, right after it, its reverse, both one-way, are read as one with an explicit
/// reverse rate: that is how Cantera's converter writes CHEMKIN's REV.
std::optional<Mechanism> readYaml(const std::filesystem::path &file, Diagnostics &diagnostics);
std::optional<Mechanism> readYaml(const SourceText &source, Diagnostics &diagnostics);

} // namespace heddle::chem
