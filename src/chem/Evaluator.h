// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything at one state, the slow and obvious way: the reference that all generated code is checked
// against.
#pragma once

#include "chem/Kinetics.h"
#include "chem/MixtureTransport.h"
#include "chem/Qssa.h"
#include "chem/States.h"
#include "chem/Stiffness.h"

#include <optional>
#include <string>

namespace heddle::chem {

/// Species that are not treated as the others are, and the step that stiff ones are damped for.
struct Treatment {
  std::vector<unsigned> quasiSteady;
  Stiffness stiffness;
};

/// All values at one state; units are SI with kmol.
struct Evaluation {
  GivenState state; ///< as evaluated: without quasi-steady species
  double density = 0, meanWeight = 0, heatCapacityByMass = 0;
  std::vector<double> enthalpies;
  std::optional<MixtureTransport> transport, transportChemkin; ///< by each form of fits
  std::vector<double> diffusionOfKernels; ///< m2/s, by the fits of 1/(D P) that generated kernels use
  std::vector<double> concentrations;     ///< quasi-steady species too
  RateConstants constants;
  RatesOfProgress rates; ///< with stiff species damped
  ProductionRates production;
};

class Evaluator {
public:
  /// The mechanism must live as long as this. Transport is evaluated where all species have the data for it.
  Evaluator(const Mechanism &mechanism, const Treatment &treatment, Diagnostics &diagnostics);

  Evaluation at(const GivenState &state) const;

  const QssaPlan &quasiSteady() const { return qssa; }
  const Stiffness &stiff() const { return stiffness; }
  /// Nothing where species lack transport data.
  const std::optional<TransportFits> &transportFits(FitForm form) const {
    return form == FitForm::Cantera ? fits : fitsChemkin;
  }
  const std::optional<ReciprocalDiffusionFits> &reciprocalFits() const { return reciprocal; }

private:
  const Mechanism &mechanism;
  Stiffness stiffness;
  QssaPlan qssa;
  std::optional<TransportFits> fits, fitsChemkin;
  std::optional<ReciprocalDiffusionFits> reciprocal;

  void evaluateRates(Evaluation &result) const;
};

/// Evaluations as JSON. For each state what was given (see States.h), density, mean_molecular_weight,
/// cp_mass, enthalpy_mole, viscosity, thermal_conductivity, mix_diff_coeffs, species_viscosities (these four
/// again with _ck, from Chemkin's form of fits), mix_diff_coeffs_reciprocal (by the fits of generated kernels),
/// net_production_rates, creation_rates, destruction_rates,
/// fwd_rate_constants, rev_rate_constants, fwd_rates_of_progress, rev_rates_of_progress; and concentrations
/// where there are quasi-steady species. At the top are the species in the order of all arrays, the
/// reactions, and the largest relative errors of the transport fits. Numbers read back to the same doubles.
std::string writeEvaluations(const Mechanism &mechanism, const Evaluator &evaluator,
                             const std::vector<Evaluation> &evaluations);

} // namespace heddle::chem
