// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that comes with generated kernels: it compares each of them with what the evaluator computed,
// at states that are written into it, and times them where asked to.
#pragma once

#include "chem/Evaluator.h"
#include "kernels/Emitted.h"

namespace heddle::kernels {

/// States all over the range where a mechanism's data hold: hot and cold, thin and dense, with compositions
/// over many orders of magnitude. The same ones every time.
std::vector<chem::GivenState> selfTestStates(const chem::Mechanism &mechanism, size_t count);

struct SelfTestReference {
  std::vector<chem::GivenState> states;
  std::vector<double> viscosity, conductivity;   ///< by state, SI
  std::vector<std::vector<double>> diffusion;    ///< by state and species
  std::vector<std::vector<double>> rates, gross; ///< net rates, and the size they are compared by
  std::vector<unsigned> stiff;                   ///< species that have a diffusion term
  double timeStep = 0;                           ///< s
};

std::vector<SourceFile> selfTest(const chem::Mechanism &mechanism, const std::vector<Function> &functions,
                                 const SelfTestReference &reference, const Options &options);

} // namespace heddle::kernels
