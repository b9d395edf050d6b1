// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/NotFinite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

constexpr const char *ofRates =
    "check the temperature of the state, and A, b and E of the reaction and their units";
constexpr const char *ofTransport = "check the transport data: well depths are in K, diameters in angstrom";

/// The place of the first number that is not finite.
std::optional<size_t> placeIn(const std::vector<double> &numbers) {
  const auto found = std::ranges::find_if(numbers, [](double each) { return !std::isfinite(each); });
  return found == numbers.end() ? std::nullopt : std::optional(size_t(found - numbers.begin()));
}

std::optional<NotFinite> inTransport(const Mechanism &mechanism, const MixtureTransport &transport) {
  if (!std::isfinite(transport.viscosity))
    return NotFinite{"the viscosity", ofTransport};
  if (!std::isfinite(transport.conductivity))
    return NotFinite{"the thermal conductivity", ofTransport};
  if (const auto k = placeIn(transport.diffusion))
    return NotFinite{fmt::format("the diffusion coefficient of '{}'", mechanism.species[*k].name),
                     ofTransport};
  return std::nullopt;
}

std::optional<NotFinite> inRates(const Mechanism &mechanism, const Evaluation &evaluation) {
  const auto ofReaction = [&](const std::vector<double> &numbers,
                              const char *what) -> std::optional<NotFinite> {
    if (const auto i = placeIn(numbers))
      return NotFinite{fmt::format("the {} of reaction '{}'", what, mechanism.reactions[*i].equation),
                       ofRates};
    return std::nullopt;
  };
  for (const auto &[numbers, what] : {std::pair{&evaluation.constants.forward, "rate constant"},
                                      {&evaluation.rates.forward, "rate"},
                                      {&evaluation.rates.reverse, "reverse rate"}})
    if (const auto found = ofReaction(*numbers, what))
      return found;
  if (const auto k = placeIn(evaluation.production.net))
    return NotFinite{fmt::format("the net production rate of '{}'", mechanism.species[*k].name), ofRates};
  return std::nullopt;
}

} // namespace

std::optional<NotFinite> findNotFinite(const Mechanism &mechanism, const Evaluation &evaluation) {
  if (!std::isfinite(evaluation.density))
    return NotFinite{"the density", ""};
  for (const auto *transport : {&evaluation.transport, &evaluation.transportChemkin})
    if (*transport)
      if (std::optional<NotFinite> found = inTransport(mechanism, **transport))
        return found;
  return inRates(mechanism, evaluation);
}

} // namespace heddle::chem
