// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     eta    = 5/16 sqrt(pi m k T) / (pi sigma^2 Omega22)
//     D P    = 3/16 sqrt(2 pi/mu) (k T)^(3/2) / (pi sigma^2 Omega11)
//     lambda = eta/W (f_trans 3/2 R + f_rot cv_rot + f_vib cv_vib)          (Warnatz)
//
// with, for the share of each kind of motion,
//
//     f_vib   = rho D/eta
//     f_rot   = f_vib (1 + c),   f_trans = 5/2 (1 - c cv_rot/(3/2 R)),   c = 2/pi A/B
//     A       = 5/2 - f_vib,     B = Z_rot + 2/pi (5/3 cv_rot/R + f_vib)
//     Z_rot(T) = Z_rot(298 K) F(298 K)/F(T)                                (Parker)
//     F(T)    = 1 + pi^(3/2)/2 T*^(-1/2) + (pi^2/4 + 2) T*^(-1) + pi^(3/2) T*^(-3/2)
#include "chem/KineticTheory.h"

#include "chem/Constants.h"
#include "chem/Thermo.h"

#include <cmath>
#include <numbers>

namespace heddle::chem {
namespace {

using std::numbers::pi;

double cube(double x) { return x * x * x; }

/// cv/R of rotation
double rotationalHeat(Geometry geometry) {
  switch (geometry) {
  case Geometry::Atom: return 0;
  case Geometry::Linear: return 1;
  case Geometry::Nonlinear: return 1.5;
  }
  return 0;
}

double parker(double t) {
  return 1 + std::pow(pi, 1.5) / std::sqrt(t) * (0.5 + 1 / t) + (pi * pi / 4 + 2) / t;
}

/// Dipole squared over energy and volume, as in Gaussian units.
double reducedDipole(double dipoleSquared, double wellDepth, double diameter) {
  return dipoleSquared / (4 * pi * vacuumPermittivity * boltzmann * wellDepth * cube(diameter));
}

/// xi of a polar and a nonpolar molecule: 1 + alpha* mu*^2/4 sqrt(epsilon_polar/epsilon_nonpolar)
double induction(const Transport &polar, const Transport &nonpolar) {
  double polarizability = nonpolar.polarizability / cube(nonpolar.diameter);
  double dipole = reducedDipole(polar.dipole * polar.dipole, polar.wellDepth, polar.diameter);
  return 1 + polarizability * dipole / 4 * std::sqrt(polar.wellDepth / nonpolar.wellDepth);
}

} // namespace

CollisionPair pairOf(const Species &a, const Species &b) {
  const Transport &one = *a.transport, &other = *b.transport;
  CollisionPair pair;
  pair.reducedMass = a.weight * b.weight / (a.weight + b.weight) / avogadro;
  pair.diameter = (one.diameter + other.diameter) / 2;
  pair.wellDepth = std::sqrt(one.wellDepth * other.wellDepth);
  pair.dipole = reducedDipole(one.dipole * other.dipole, pair.wellDepth, pair.diameter) / 2;
  bool onePolar = one.dipole > 0, otherPolar = other.dipole > 0;
  if (onePolar != otherPolar) {
    double xi = onePolar ? induction(one, other) : induction(other, one);
    pair.diameter *= std::pow(xi, -1.0 / 6);
    pair.wellDepth *= xi * xi;
  }
  return pair;
}

double pureViscosity(const Species &species, double temperature) {
  CollisionPair pair = pairOf(species, species);
  double mass = species.weight / avogadro;
  return 5.0 / 16 * std::sqrt(pi * mass * boltzmann * temperature) /
         (pi * pair.diameter * pair.diameter * omega22(pair.at(temperature)));
}

double pairDiffusion(const CollisionPair &pair, double temperature) {
  return 3.0 / 16 * std::sqrt(2 * pi / pair.reducedMass) * std::pow(boltzmann * temperature, 1.5) /
         (pi * pair.diameter * pair.diameter * omega11(pair.at(temperature)));
}

double pureConductivity(const Species &species, double temperature) {
  CollisionPair pair = pairOf(species, species);
  double viscosity = pureViscosity(species, temperature);
  double heat = heatCapacity(species.thermo, temperature);
  double rotation = rotationalHeat(species.transport->geometry);
  double relaxation = species.transport->rotationalRelaxation * parker(298 / pair.wellDepth) /
                      parker(temperature / pair.wellDepth);

  // rho D = (P W/RT) (D P)/P
  double vibrational =
      species.weight / (gasConstant * temperature) * pairDiffusion(pair, temperature) / viscosity;
  double c = 2 / pi * (2.5 - vibrational) / (relaxation + 2 / pi * (5.0 / 3 * rotation + vibrational));
  double rotational = vibrational * (1 + c), translational = 2.5 * (1 - c * rotation / 1.5);
  double vibration = heat - 2.5 - rotation;
  return viscosity / species.weight * gasConstant *
         (translational * 1.5 + rotational * rotation + vibrational * vibration);
}

} // namespace heddle::chem
