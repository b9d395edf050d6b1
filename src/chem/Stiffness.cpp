// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Stiffness.h"

namespace heddle::chem {
namespace {

/// The factor of what one direction consumes; a species counts once, however many of it are consumed.
double productOver(const std::vector<Term> &terms, const std::vector<double> &factors) {
  double product = 1;
  for (const Term &term : terms)
    product *= factors[term.species];
  return product;
}

} // namespace

double stiffFactor(double concentration, double creation, double destruction, double diffusion,
                   double timeStep) {
  // Solvers have slightly negative concentrations. They have no lifetime: the comparison would mean the opposite.
  if (!(concentration > 0 && destruction * timeStep * stiffnessThreshold > concentration))
    return 1;
  double first = concentration * (creation + diffusion) / destruction;
  return (creation + diffusion + (concentration - first) / timeStep) / destruction;
}

void dampStiffRates(const Mechanism &mechanism, const Stiffness &stiffness,
                    const std::vector<double> &concentrations, const std::vector<double> &diffusion,
                    RatesOfProgress &rates) {
  ProductionRates before = productionRates(mechanism, rates);
  std::vector<double> factors(mechanism.species.size(), 1);
  for (unsigned i : stiffness.species)
    factors[i] = stiffFactor(concentrations[i], before.creation[i], before.destruction[i], diffusion[i],
                             stiffness.timeStep);
  for (size_t i = 0; i < mechanism.reactions.size(); ++i) {
    rates.forward[i] *= productOver(consumed(mechanism.reactions[i]), factors);
    rates.reverse[i] *= productOver(made(mechanism.reactions[i]), factors);
  }
}

} // namespace heddle::chem
