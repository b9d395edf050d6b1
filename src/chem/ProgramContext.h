// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the operations of a chemistry program share: functions of temperature and pressure, and values of
// species, each made when first asked for.
#pragma once

#include "chem/Mechanism.h"
#include "flow/Builder.h"

#include <map>

namespace heddle::chem {

inline constexpr double log2OfE = 1.44269504088896340736;
inline constexpr double log2Of10 = 3.32192809488736234787;

/// Values of the point itself.
struct PointValues {
  flow::Expr temperature = 0.0, reciprocal = 0.0, log2Temperature = 0.0; ///< T, 1/T, log2 T
  flow::Expr pressure = 0.0;                                             ///< Pa
  flow::Expr total = 0.0;                                                ///< P/RT, kmol/m3
};

/// Values of one species.
struct SpeciesValues {
  flow::Expr logScale = 0.0; ///< log2(1/phi): g/RT - ln(P0/RT), shifted by the elements' potentials
  flow::Expr scale = 0.0;    ///< phi
  flow::Expr activity = 0.0; ///< C/phi
};

/// [M] of a reaction, kmol/m3
struct ColliderValues {
  flow::Expr concentration = 0.0, log = 0.0; ///< log2 of it for falloff
};

class ProgramContext {
public:
  /// `isRegular`: see chemistryProgram. Quasi-steady species are no part of the mixture: they have a phi, but
  /// neither activity nor concentration, and do not collide.
  ProgramContext(const Mechanism &mechanism, double pressureFactor, bool isRegular = false,
                 std::vector<unsigned> quasiSteady = {});

  /// Makes the pure operations that a reaction needs, before its own operation begins.
  void prepare(const Reaction &reaction);
  flow::Expr log2Pressure();

  /// Adds a rate to what a reaction makes of each species, in the current operation.
  void contribute(const Reaction &reaction, const flow::Expr &rate);

  const SpeciesValues &thermoOf(unsigned species);
  /// C, kmol/m3; computed in the current operation for species that have a phi.
  flow::Expr concentrationOf(unsigned species);
  /// The same from the mole fraction alone, whether or not there is a phi: a value of its own.
  flow::Expr carriedConcentrationOf(unsigned species);
  /// Does the species take part in an equilibrium?
  bool hasScale(unsigned species) const { return hasThermo[species]; }
  const ColliderValues &colliderOf(const Collider &collider);
  /// log2 of 1/Kc
  flow::Expr logReciprocalEquilibrium(const Reaction &reaction);
  /// Can both directions be had from activities, see ChemistryProgram.h?
  bool goesByActivities(const Reaction &reaction) const;

  const Mechanism &mechanism;
  const bool isRegular;
  flow::Builder builder;
  PointValues at;
  std::vector<std::string> identifiers; ///< of species: C names, each its own

private:
  unsigned moleFractions = 0;
  std::vector<unsigned> quasiSteady;
  std::map<unsigned, SpeciesValues> thermo;
  std::map<unsigned, flow::Expr> concentrations;
  std::map<std::vector<double>, ColliderValues> colliders;
  std::vector<flow::Expr> pressureLog;
  std::vector<bool> hasThermo;                          ///< species that take part in an equilibrium
  std::vector<double> shiftByReciprocal, shiftConstant; ///< of log2(1/phi), a species each

  void choosePotentials();
  /// Exactly: coefficients that are rounded do not.
  bool conservesElements(const Reaction &reaction) const;
  bool isCarried(unsigned species) const;
};

/// A rate constant as an expression inside the current operation.
flow::Expr rateExpression(ProgramContext &context, const Rate &rate, const ColliderValues &collider);

/// The same as 2^log * factor, so that more can go into the exponent. A rate that has no logarithm is all
/// factor.
struct RateParts {
  flow::Expr log = 0.0, factor = 0.0;
};
RateParts rateParts(ProgramContext &context, const Rate &rate, const ColliderValues &collider);

/// Does the mass action of these terms need no powers but small whole ones?
bool hasWholePowers(const std::vector<Term> &terms);
/// prod value(species)^order, see massAction in Kinetics.h
template <class ValueOf> flow::Expr productOf(const std::vector<Term> &terms, ValueOf valueOf) {
  flow::Expr product = 1.0;
  for (const Term &term : terms) {
    const flow::Expr value = valueOf(term.species);
    if (term.value == 1 || term.value == 2 || term.value == 3)
      for (int i = 0; i < int(term.value); ++i)
        product = product * value;
    else if (term.value != 0)
      product = product * ifPositive(value, exp2(log2(max(value, 1e-300)) * term.value), 0.0);
  }
  return product;
}

} // namespace heddle::chem
