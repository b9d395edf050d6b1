// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/MixtureTransport.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

/// D_k = (W - x_k W_k) / (P W sum over j != k of x_j/(D_jk P)) with W the mean weight. W - x_k W_k is summed over the
/// other species: the difference would have no digits for a species that is nearly alone. In a pure gas the others have
/// the least mole fraction, and the coefficient is the harmonic mean of those of the pairs times (mean weight of the others)/W. A gas of
/// one species has its own coefficient.
std::vector<double> mixtureDiffusion(const State &state, double meanWeight, const std::vector<double> &x,
                                     const std::vector<double> &weights, const std::vector<double> &pairs) {
  size_t count = x.size();
  if (count == 1)
    return {pairs[0] / state.pressure};
  std::vector<double> d;
  for (size_t k = 0; k < count; ++k) {
    double sum = 0, others = 0;
    for (size_t j = 0; j < count; ++j)
      if (j != k) {
        sum += x[j] / pairs[pairIndex(j, k, count)];
        others += x[j] * weights[j];
      }
    d.push_back(others / (state.pressure * meanWeight * sum));
  }
  return d;
}

std::vector<double> clampedFractions(const State &state) {
  std::vector<double> x = state.moleFractions;
  for (double &each : x)
    each = std::max(each, leastMoleFraction);
  return x;
}

std::vector<double> weightsOf(const Mechanism &mechanism) {
  std::vector<double> weights;
  for (const Species &species : mechanism.species)
    weights.push_back(species.weight);
  return weights;
}

} // namespace

std::vector<double> mixtureDiffusion(const Mechanism &mechanism, const ReciprocalDiffusionFits &fits,
                                     const State &state) {
  std::vector<double> pairs = reciprocalDiffusions(fits, state.temperature);
  for (double &each : pairs)
    each = 1 / each;
  return mixtureDiffusion(state, meanWeight(mechanism, state), clampedFractions(state), weightsOf(mechanism),
                          pairs);
}

double mixtureViscosity(const std::vector<double> &x, const std::vector<double> &weights,
                        const std::vector<double> &viscosities) {
  double total = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    double others = 0;
    for (size_t j = 0; j < x.size(); ++j) {
      double ratio = viscosities[k] / viscosities[j] * std::sqrt(weights[j] / weights[k]);
      double root = 1 + std::sqrt(ratio);
      others += x[j] * root * root / std::sqrt(8 * (1 + weights[k] / weights[j]));
    }
    total += x[k] * viscosities[k] / others;
  }
  return total;
}

double mixtureConductivity(const std::vector<double> &x, const std::vector<double> &conductivities) {
  double sum = 0, reciprocal = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    sum += x[k] * conductivities[k];
    reciprocal += x[k] / conductivities[k];
  }
  return (sum + 1 / reciprocal) / 2;
}

MixtureTransport mixtureTransport(const Mechanism &mechanism, const TransportFits &fits, const State &state) {
  std::vector<double> x = clampedFractions(state), weights = weightsOf(mechanism);
  MixtureTransport result;
  result.speciesViscosities = viscosities(fits, state.temperature);
  result.viscosity = mixtureViscosity(x, weights, result.speciesViscosities);
  result.conductivity = mixtureConductivity(x, conductivities(fits, state.temperature));
  result.diffusion =
      mixtureDiffusion(state, meanWeight(mechanism, state), x, weights, diffusions(fits, state.temperature));
  return result;
}

} // namespace heddle::chem
