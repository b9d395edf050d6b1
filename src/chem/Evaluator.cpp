// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Evaluator.h"

namespace heddle::chem {

Evaluator::Evaluator(const Mechanism &mechanism, const Treatment &treatment, Diagnostics &diagnostics)
    : mechanism(mechanism), stiffness(treatment.stiffness),
      qssa(planQssa(mechanism, treatment.quasiSteady, diagnostics)) {
  if (!mechanism.hasTransport())
    return;
  fits = fitTransport(mechanism, FitForm::Cantera);
  fitsChemkin = fitTransport(mechanism, FitForm::Chemkin);
  reciprocal = fitReciprocalDiffusion(mechanism);
}

void Evaluator::evaluateRates(Evaluation &result) const {
  const State &state = result.state;
  result.concentrations = concentrations(state);
  result.constants = rateConstants(mechanism, state.temperature, state.pressure, result.concentrations);
  leaveOut(qssa, result.constants);
  solveQuasiSteady(mechanism, qssa, result.constants, result.concentrations);
  result.rates = ratesOfProgress(mechanism, result.constants, result.concentrations);
  dampStiffRates(mechanism, stiffness, result.concentrations, result.state.diffusionTerm, result.rates);
  result.production = productionRates(mechanism, result.rates);
}

Evaluation Evaluator::at(const GivenState &given) const {
  Evaluation result;
  result.state = given;
  if (!qssa.species.empty())
    static_cast<State &>(result.state) = withoutQuasiSteady(qssa, given);
  const State &state = result.state;
  result.density = density(mechanism, state);
  result.meanWeight = meanWeight(mechanism, state);
  result.heatCapacityByMass = heatCapacityByMass(mechanism, state);
  result.enthalpies = enthalpies(mechanism, state.temperature);
  if (fits) {
    result.transport = mixtureTransport(mechanism, *fits, state);
    result.transportChemkin = mixtureTransport(mechanism, *fitsChemkin, state);
    result.diffusionOfKernels = mixtureDiffusion(mechanism, *reciprocal, state);
  }
  evaluateRates(result);
  return result;
}

} // namespace heddle::chem
