// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/SelfTest.h"

#include "kernels/ErrorReport.h"
#include "kernels/Package.h"
#include "kernels/Real.h"
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace heddle::kernels {

namespace {

/// What a caller's number is multiplied by to be in SI, and a result in SI to be in the caller's units.
struct Factors {
  double pressure = 1, viscosity = 1, conductivity = 1, diffusion = 1, rate = 1;
};

Factors factorsOf(Units units) { return units == Units::Si ? Factors{} : Factors{10, 10, 1e5, 1e4, 1e-3}; }

std::string list(size_t count, const std::function<double(size_t)> &at) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + literal(at(i));
  return text;
}

/// [component][state], a line for each component
std::string table(size_t components, size_t states, const std::function<double(size_t, size_t)> &at) {
  std::string text;
  for (size_t c = 0; c < components; ++c)
    text += "    " + list(states, [&](size_t s) { return at(c, s); }) + ",\n";
  return text;
}

std::string array(const char *name, const std::string &text) {
  return fmt::format("static const double {}[] = {{\n{}}};\n", name, text);
}

bool runsOnDevice(Variant variant) { return variant != Variant::Cpu; }

std::string_view expectedOf(Kernel kernel) {
  switch (kernel) {
  case Kernel::Viscosity: return "expectedViscosity, nullptr";
  case Kernel::Conductivity: return "expectedConductivity, nullptr";
  case Kernel::Diffusion: return "expectedDiffusion, nullptr";
  case Kernel::Chemistry: return "expectedRates, creationPlusDestruction";
  }
  return "";
}

bool isPerSpecies(Kernel kernel) { return kernel == Kernel::Diffusion || kernel == Kernel::Chemistry; }

Values caseOf(const Function &function, Precision precision) {
  return {{"name", function.name},
          {"components", isPerSpecies(function.kernel) ? "species" : "1"},
          {"expected", expectedOf(function.kernel)},
          {"tolerance", fmt::format("{:g}", toleranceOf(function.kernel, precision))},
          {"isStiff", function.isStiff},
          {"onDevice", runsOnDevice(function.variant)}};
}

std::string resultsText(const SelfTestReference &reference, const std::vector<Function> &functions,
                        const Factors &factors, size_t species) {
  const size_t states = reference.states.size();
  const auto has = [&](Kernel kernel) {
    return std::ranges::any_of(functions, [&](const Function &each) { return each.kernel == kernel; });
  };
  std::string text;
  if (has(Kernel::Viscosity))
    text +=
        array("expectedViscosity",
              table(1, states, [&](size_t, size_t s) { return reference.viscosity[s] * factors.viscosity; }));
  if (has(Kernel::Conductivity))
    text += array("expectedConductivity", table(1, states, [&](size_t, size_t s) {
                    return reference.conductivity[s] * factors.conductivity;
                  }));
  if (has(Kernel::Diffusion))
    text += array("expectedDiffusion", table(species, states, [&](size_t k, size_t s) {
                    return reference.diffusion[s][k] * factors.diffusion;
                  }));
  if (has(Kernel::Chemistry)) {
    text += array("expectedRates", table(species, states, [&](size_t k, size_t s) {
                    return reference.rates[s][k] * factors.rate;
                  }));
    if (!reference.stiff.empty()) {
      text += fmt::format("static const int stiffSpecies = {};\nstatic const double timeStep = {};\n",
                          reference.stiff.size(), literal(reference.timeStep));
      text += array("givenDiffusion", table(reference.stiff.size(), states, [&](size_t k, size_t s) {
                      return reference.states[s].diffusionTerm[reference.stiff[k]] * factors.rate;
                    }));
    }
    text += array("creationPlusDestruction", table(species, states, [&](size_t k, size_t s) {
                    return reference.gross[s][k] * factors.rate;
                  }));
  }
  return text;
}

} // namespace

std::vector<chem::GivenState> selfTestStates(const chem::Mechanism &mechanism, size_t count) {
  std::mt19937 random(20);
  // Not std::uniform_real_distribution: libraries differ in what they make of the same bits.
  const auto uniform = [&] { return double(random()) / 4294967296.0; };
  std::vector<chem::GivenState> states;
  for (size_t i = 0; i < count; ++i) {
    chem::GivenState state;
    state.temperature = 500 + 2300 * (count > 1 ? double(i) / double(count - 1) : 0.5);
    state.pressure = 101325 * std::array<double, 4>{0.1, 1, 10, 60}[i % 4];
    double sum = 0;
    for (size_t k = 0; k < mechanism.species.size(); ++k) {
      // Every second state has species of similar amounts, the others traces down to 1e-12.
      state.moleFractions.push_back(i % 2 == 0 ? 0.05 + uniform() : std::pow(10, -12 * uniform()));
      sum += state.moleFractions.back();
    }
    for (double &x : state.moleFractions)
      x /= sum;
    states.push_back(std::move(state));
  }
  // Both signs, and larger than what chemistry makes of some species.
  for (chem::GivenState &state : states)
    for (size_t k = 0; k < mechanism.species.size(); ++k)
      state.diffusionTerm.push_back(std::pow(10, 6 * uniform() - 4) * (uniform() < 0.3 ? -1 : 1));
  return states;
}

std::vector<SourceFile> selfTest(const chem::Mechanism &mechanism, const std::vector<Function> &functions,
                                 const SelfTestReference &reference, const Options &options) {
  const Factors factors = factorsOf(options.units);
  const size_t states = reference.states.size(), species = mechanism.species.size();
  const bool hasDevice =
      std::ranges::any_of(functions, [](const Function &each) { return runsOnDevice(each.variant); });
  std::vector<Values> cases;
  for (const Function &function : functions)
    cases.push_back(caseOf(function, options.precision));
  const std::string data = fillTemplate(
      "selftest_data.h.in",
      {{"header", options.prefix + ".h"},
       {"states", states},
       {"temperature", list(states, [&](size_t s) { return reference.states[s].temperature; })},
       {"pressure", list(states, [&](size_t s) { return reference.states[s].pressure * factors.pressure; })},
       {"moleFractions",
        table(species, states, [&](size_t k, size_t s) { return reference.states[s].moleFractions[k]; })},
       {"results", resultsText(reference, functions, factors, species)}});
  const std::string program =
      fillTemplate("selftest.cpp.in", {{"program", options.prefix + "_selftest"},
                                       {"states", states},
                                       {"header", options.prefix + ".h"},
                                       {"real", realOf(options.precision).type},
                                       {"species", species},
                                       {"hasDevice", hasDevice},
                                       {"hasStiff", std::ranges::any_of(functions, &Function::isStiff)},
                                       {"cases", std::move(cases)}});
  return {{"selftest_data.h", data}, {hasDevice ? "selftest.cu" : "selftest.cpp", program}};
}

} // namespace heddle::kernels
