// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rates of species that are consumed faster than a time step can follow, damped to what the step can use.
#pragma once

#include "chem/Kinetics.h"

namespace heddle::chem {

/// A species is damped where its lifetime C/D is shorter than this part of the time step: D dt theta > C. The
/// value is empirical.
inline constexpr double stiffnessThreshold = 0.09058503722621332;

struct Stiffness {
  std::vector<unsigned> species;
  double timeStep = 0; ///< s
};

/// C'/C of a species with concentration C, creation K, destruction D and a diffusion term d over a step dt:
///     C'  = C (K + d)/D, then C' = C (K + d + (C - C')/dt)/D     where D dt theta > C
/// and 1 elsewhere.
double stiffFactor(double concentration, double creation, double destruction, double diffusion,
                   double timeStep);

/// Scales every rate that consumes a stiff species by its factor. All factors come from the rates as they
/// were given, so that the order of species does not matter; a rate that consumes several is scaled by each.
void dampStiffRates(const Mechanism &mechanism, const Stiffness &stiffness,
                    const std::vector<double> &concentrations, const std::vector<double> &diffusion,
                    RatesOfProgress &rates);

} // namespace heddle::chem
