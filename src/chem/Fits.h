// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transport properties as polynomials in L = ln T, which is how they are evaluated at every point of a grid:
//
//                                   Chemkin        Cantera
//     degree                        3              4
//     viscosity, Pa s               exp(p(L))      (T^(1/4) p(L))^2
//     conductivity, W/m/K           exp(p(L))      T^(1/2) p(L)
//     diffusion D P, m2/s Pa        exp(p(L))      T^(3/2) p(L)
//     its reciprocal 1/(D P)                       T^(-3/2) p(L), of degree 3 or 4
//
// Each form is fitted as those programs do it: at 50 equally spaced temperatures over the range where the
// thermodynamic data of all species hold; Chemkin's by plain least squares of logarithms, Cantera's by
// relative distances.
#pragma once

#include "chem/Mechanism.h"
#include "chem/Polynomial.h"
#include "chem/Thermo.h"

#include <vector>

namespace heddle::chem {

enum class FitForm { Chemkin, Cantera };

/// The largest relative distance between a fit and what it was fitted to, anywhere in the range.
struct FitErrors {
  double viscosity = 0, conductivity = 0, diffusion = 0;
  size_t ofViscosity = 0, ofConductivity = 0; ///< species with these errors
};

struct TransportFits {
  FitForm form = FitForm::Cantera;
  TemperatureRange range;
  std::vector<Polynomial> viscosity, conductivity; ///< a species each
  std::vector<Polynomial> diffusion;               ///< a pair each: see pairIndex
  FitErrors errors;
};

/// 1/(D P) = T^(-3/2) p(L): sums over species become products with constant matrices.
struct ReciprocalDiffusionFits {
  TemperatureRange range;
  std::vector<Polynomial> pairs; ///< see pairIndex
  double error = 0;              ///< largest relative distance

  size_t degree() const { return pairs.front().coefficients.size() - 1; }
};

/// The place of a pair in (0,0), (0,1), ..., (0,n-1), (1,1), ...; (i,j) and (j,i) are the same.
/// Warns of a fit that is so far from its data that these are most likely wrong.
void warnOfFits(const Mechanism &mechanism, const TransportFits &fits, Diagnostics &diagnostics);

size_t pairIndex(size_t i, size_t j, size_t speciesCount);

/// All species must have transport data.
TransportFits fitTransport(const Mechanism &mechanism, FitForm form);
ReciprocalDiffusionFits fitReciprocalDiffusion(const Mechanism &mechanism, unsigned degree);
/// Of degree 3 where its error is at most 0.5 %, which lies well within what is known of the data; else of degree 4.
ReciprocalDiffusionFits fitReciprocalDiffusion(const Mechanism &mechanism);

/// Values at a temperature, of every species or pair.
std::vector<double> viscosities(const TransportFits &fits, double temperature);
std::vector<double> conductivities(const TransportFits &fits, double temperature);
std::vector<double> diffusions(const TransportFits &fits, double temperature);
std::vector<double> reciprocalDiffusions(const ReciprocalDiffusionFits &fits, double temperature);

} // namespace heddle::chem
