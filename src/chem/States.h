// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of a gas as JSON, to be evaluated or to test generated code with:
//
//     {"species": ["H2", "O2", ...], "states": [{"T": 1000, "P": 101325, "X": [0.2, 0.1, ...]}, ...]}
//
// in K, Pa and mole fractions. Other fields are ignored, so that a file of results serves as well. A state
// may have a "diffusion_term", kmol/m3/s of each species, for the treatment of stiff species.
#pragma once

#include "chem/Mixture.h"
#include "chem/SourceText.h"

#include <optional>

namespace heddle::chem {

struct GivenState : State {
  std::vector<double> diffusionTerm; ///< kmol/m3/s; zero where the file has none
};

/// The states in the mechanism's order of species, whatever the file's. A species that the file does not list
/// is not there; mole fractions are divided by their sum. All that is wrong goes to `diagnostics`, and nothing is
/// returned.
std::optional<std::vector<GivenState>> readStates(const SourceText &source, const Mechanism &mechanism,
                                                  Diagnostics &diagnostics);

/// Warns of states outside the range where the thermodynamic data of all species hold, which is also that of
/// the transport fits.
void warnOutsideRange(const SourceText &source, const Mechanism &mechanism,
                      const std::vector<GivenState> &states, Diagnostics &diagnostics);

/// Text that readStates gives the same states for, to the last bit.
std::string writeStates(const Mechanism &mechanism, const std::vector<GivenState> &states);

} // namespace heddle::chem
