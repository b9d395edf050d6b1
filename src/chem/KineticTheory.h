// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport properties of pure species and of pairs from molecular data, by the first approximation of
// Chapman and Enskog. What the fits are fitted to.
#pragma once

#include "chem/CollisionIntegrals.h"
#include "chem/Mechanism.h"

namespace heddle::chem {

/// Two molecules that meet; a species with itself too.
struct CollisionPair {
  double reducedMass = 0; ///< kg
  double diameter = 0;    ///< m
  double wellDepth = 0;   ///< epsilon/k, K
  double dipole = 0;      ///< delta*

  ReducedState at(double temperature) const { return {temperature / wellDepth, dipole}; }
};

/// Arithmetic mean of the diameters, geometric mean of the well depths and of the dipole moments; where one
/// molecule is polar and the other is not, diameter and well depth are corrected for the dipole that is
/// induced. Both species must have transport data.
CollisionPair pairOf(const Species &a, const Species &b);

/// Pa s
double pureViscosity(const Species &species, double temperature);
/// W/m/K
double pureConductivity(const Species &species, double temperature);
/// Binary diffusion coefficient times pressure, m2/s Pa
double pairDiffusion(const CollisionPair &pair, double temperature);

} // namespace heddle::chem
