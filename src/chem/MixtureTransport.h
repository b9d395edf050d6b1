// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixture rules: from the transport properties of species and pairs to those of a mixture.
#pragma once

#include "chem/Fits.h"
#include "chem/Mixture.h"

namespace heddle::chem {

/// Mole fractions below this count as this much in transport, so that no sum over the other species is empty.
inline constexpr double leastMoleFraction = 1e-20;

struct MixtureTransport {
  std::vector<double> speciesViscosities; ///< Pa s
  double viscosity = 0;                   ///< Pa s
  double conductivity = 0;                ///< W/m/K
  /// m2/s; ties a species' diffusive mass flux to the gradient of its mole fraction
  std::vector<double> diffusion;
};

MixtureTransport mixtureTransport(const Mechanism &mechanism, const TransportFits &fits, const State &state);

/// The diffusion of MixtureTransport from fits of reciprocals, as generated kernels have it.
std::vector<double> mixtureDiffusion(const Mechanism &mechanism, const ReciprocalDiffusionFits &fits,
                                     const State &state);

/// Wilke's rule, with x mole fractions and W molecular weights:
///     eta    = sum_k x_k eta_k / sum_j x_j phi_kj
///     phi_kj = (1 + sqrt(eta_k/eta_j sqrt(W_j/W_k)))^2 / sqrt(8 (1 + W_k/W_j))
double mixtureViscosity(const std::vector<double> &x, const std::vector<double> &weights,
                        const std::vector<double> &viscosities);

/// Mean of the arithmetic and the harmonic mean over the species.
double mixtureConductivity(const std::vector<double> &x, const std::vector<double> &conductivities);

} // namespace heddle::chem
