// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A combustion mechanism, whatever file it came from: species with their thermodynamic and transport data,
// and reactions with their rates. Every number is in SI units with kmol for amounts (kmol, m3, s, K, Pa, J),
// so that nothing after the readers has to know the units of a file.
#pragma once

#include "support/Diagnostics.h"

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle::chem {

struct Element {
  std::string name;
  double weight = 0; ///< kg/kmol
};

/// How many atoms of an element; the element by its place in Mechanism::elements.
struct ElementCount {
  unsigned element = 0;
  double count = 0;
};

/// cp/R = a0 + a1 T + a2 T^2 + a3 T^3 + a4 T^4, h/RT and s/R its integrals with a5 and a6.
struct Nasa7Range {
  double low = 0, high = 0; ///< K
  std::array<double, 7> a{};
};

/// A species of constant heat capacity.
struct ConstantCp {
  double temperature = 298.15;              ///< K, where h and s are given
  double enthalpy = 0, entropy = 0, cp = 0; ///< J/kmol, J/kmol/K, J/kmol/K
  double low = 0, high = 0;                 ///< K
};

/// Ranges are in order of temperature, and each begins where the one before it ends.
using Thermo = std::variant<std::vector<Nasa7Range>, ConstantCp>;

enum class Geometry { Atom = 0, Linear = 1, Nonlinear = 2 };

struct Transport {
  Geometry geometry = Geometry::Atom;
  double wellDepth = 0;            ///< epsilon / k, K
  double diameter = 0;             ///< collision diameter, m
  double dipole = 0;               ///< C m
  double polarizability = 0;       ///< m3
  double rotationalRelaxation = 0; ///< collision number at 298 K
  double acentricFactor = 0;
  double dispersion = 0, quadrupole = 0;
};

struct Species {
  std::string name;
  std::vector<ElementCount> composition;
  double weight = 0; ///< kg/kmol
  int charge = 0;
  Thermo thermo;
  std::optional<Transport> transport;
  SourceLocation location; ///< where it is declared
};

/// k = A T^b exp(-Ta/T)
struct Arrhenius {
  double a = 0, b = 0, activationTemperature = 0;
};

/// k = A T^b exp(-Ta/T + B T^(-1/3) + C T^(-2/3))
struct LandauTeller {
  Arrhenius arrhenius;
  double b = 0, c = 0;
};

struct Lindemann {};

/// F_cent = (1 - a) exp(-T/T3) + a exp(-T/T1) + exp(-T2/T); the last term only where T2 is given.
struct Troe {
  double a = 0, t3 = 0, t1 = 0;
  std::optional<double> t2;
};

/// F = d T^e [a exp(-b/T) + exp(-T/c)]^X
struct Sri {
  double a = 0, b = 0, c = 0, d = 1, e = 0;
};

using Shape = std::variant<Lindemann, Troe, Sri>;

/// k = k_high Pr/(1+Pr) F with Pr = k_low [M]/k_high; a chemically activated one k_low /(1+Pr) F.
struct Falloff {
  Arrhenius low, high;
  Shape shape;
  bool chemicallyActivated = false;
};

/// Interpolated in ln P between pressures; several rates at one pressure are added up.
struct Plog {
  struct Point {
    double pressure = 0; ///< Pa
    std::vector<Arrhenius> rates;
  };
  std::vector<Point> points; ///< in order of pressure
};

/// log10 k = sum over i, j of c[i][j] T_i(reduced 1/T) T_j(reduced log10 P)
struct Chebyshev {
  double lowTemperature = 300, highTemperature = 2500; ///< K
  double lowPressure = 0, highPressure = 0;            ///< Pa
  unsigned temperatures = 0, pressures = 0;
  std::vector<double> coefficients; ///< [temperature][pressure], the unit of k already in c[0][0]
};

using Rate = std::variant<Arrhenius, LandauTeller, Falloff, Plog, Chebyshev>;

/// A species with its stoichiometric coefficient, order or efficiency.
struct Term {
  unsigned species = 0;
  double value = 0;
};

/// What takes part in a collision without being changed by it.
struct Collider {
  std::optional<unsigned> named; ///< this species alone, `(+AR)`; else all, `M`
  double defaultEfficiency = 1;
  std::vector<Term> efficiencies; ///< those that differ from the default
};

/// Where the reverse rate comes from.
enum class Reverse { None, Equilibrium, Explicit };

struct Reaction {
  std::string equation; ///< as in the file
  std::vector<Term> reactants, products;
  Rate rate;
  /// The concentration of the collider multiplies the rate, except in falloff, where it goes into Pr.
  std::optional<Collider> collider;
  Reverse reverse = Reverse::Equilibrium;
  std::optional<Rate> reverseRate; ///< where it is explicit
  /// Exponents of concentrations where they differ from the stoichiometric coefficients; complete lists then.
  std::optional<std::vector<Term>> forwardOrders, reverseOrders;
  bool duplicate = false;
  bool statesNegativeFactor = false; ///< the file says that A may be negative
  SourceLocation location;

  bool isFalloff() const { return std::holds_alternative<Falloff>(rate); }
};

struct Mechanism {
  std::string name;
  std::vector<Element> elements;
  std::vector<Species> species;
  std::vector<Reaction> reactions;
  std::string transportFile; ///< where transport data are from; empty where there are none
  /// Another transport model than that of mixture averages, which is the only one here; empty where the file asks for none.
  std::string unsupportedTransport;
  SourceLocation transportModelLocation;

  std::optional<unsigned> find(const std::string &speciesName) const;
  bool hasTransport() const; ///< of all species
};

} // namespace heddle::chem
