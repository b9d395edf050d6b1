// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Evaluator.h"

#include <nlohmann/json.hpp>

namespace heddle::chem {
namespace {

using Json = nlohmann::ordered_json;

const char *sourceOfReverse(Reverse reverse) {
  switch (reverse) {
  case Reverse::None: break;
  case Reverse::Equilibrium: return "thermo";
  case Reverse::Explicit: return "explicit";
  }
  return "none";
}

void addTransport(Json &json, const std::optional<MixtureTransport> &transport, const std::string &suffix) {
  if (!transport)
    return;
  json["viscosity" + suffix] = transport->viscosity;
  json["thermal_conductivity" + suffix] = transport->conductivity;
  json["mix_diff_coeffs" + suffix] = transport->diffusion;
  json["species_viscosities" + suffix] = transport->speciesViscosities;
}

Json jsonOf(const Evaluation &e, bool withConcentrations) {
  Json json = {{"T", e.state.temperature},
               {"P", e.state.pressure},
               {"X", e.state.moleFractions},
               {"density", e.density},
               {"mean_molecular_weight", e.meanWeight},
               {"cp_mass", e.heatCapacityByMass},
               {"enthalpy_mole", e.enthalpies}};
  addTransport(json, e.transport, "");
  addTransport(json, e.transportChemkin, "_ck");
  if (!e.diffusionOfKernels.empty())
    json["mix_diff_coeffs_reciprocal"] = e.diffusionOfKernels;
  if (withConcentrations)
    json["concentrations"] = e.concentrations;
  json["net_production_rates"] = e.production.net;
  json["creation_rates"] = e.production.creation;
  json["destruction_rates"] = e.production.destruction;
  json["fwd_rate_constants"] = e.constants.forward;
  json["rev_rate_constants"] = e.constants.reverse;
  json["fwd_rates_of_progress"] = e.rates.forward;
  json["rev_rates_of_progress"] = e.rates.reverse;
  return json;
}

void addFitErrors(Json &json, const std::optional<TransportFits> &fits, const char *model) {
  if (!fits)
    return;
  json["fit_range"] = {fits->range.low, fits->range.high};
  json["fit_errors"][model] = {{"viscosity", fits->errors.viscosity},
                               {"conductivity", fits->errors.conductivity},
                               {"binary_diffusion", fits->errors.diffusion}};
}

Json header(const Mechanism &mechanism, const Evaluator &evaluator) {
  Json json = {{"schema", "heddle.chem/1"},
               {"mechanism", mechanism.name},
               {"units", "SI, kmol"},
               {"n_species", mechanism.species.size()},
               {"n_reactions", mechanism.reactions.size()},
               {"species", Json::array()},
               {"molecular_weights", Json::array()},
               {"reactions", Json::array()}};
  for (const Species &species : mechanism.species) {
    json["species"].push_back(species.name);
    json["molecular_weights"].push_back(species.weight);
  }
  for (const Reaction &reaction : mechanism.reactions)
    json["reactions"].push_back({reaction.equation, sourceOfReverse(reaction.reverse)});
  for (unsigned species : evaluator.quasiSteady().species)
    json["quasi_steady"].push_back(mechanism.species[species].name);
  for (unsigned species : evaluator.stiff().species)
    json["stiff"].push_back(mechanism.species[species].name);
  if (!evaluator.stiff().species.empty())
    json["time_step"] = evaluator.stiff().timeStep;
  addFitErrors(json, evaluator.transportFits(FitForm::Cantera), "mixture-averaged");
  addFitErrors(json, evaluator.transportFits(FitForm::Chemkin), "mixture-averaged-CK");
  if (const std::optional<ReciprocalDiffusionFits> &fits = evaluator.reciprocalFits())
    json["fit_errors"]["reciprocal"] = {{"binary_diffusion", fits->error}, {"degree", fits->degree()}};
  return json;
}

} // namespace

std::string writeEvaluations(const Mechanism &mechanism, const Evaluator &evaluator,
                             const std::vector<Evaluation> &evaluations) {
  Json json = header(mechanism, evaluator);
  json["states"] = Json::array();
  for (const Evaluation &each : evaluations)
    json["states"].push_back(jsonOf(each, !evaluator.quasiSteady().species.empty()));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace heddle::chem
