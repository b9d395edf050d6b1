// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/ErrorReport.h"

#include "flow/Evaluate.h"
#include "kernels/MathHeader.h"
#include "kernels/TransportTables.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::kernels {
namespace {

double toFloat(double x) { return double(float(x)); }

/// As hdl_exp2 ends in floats.
double floatExp2(double y) { return std::exp2(std::clamp(y, -126.0, 127.0)); }

flow::Functions functionsOf(Precision precision) {
  switch (precision) {
  case Precision::Double: break;
  case Precision::Mixed: return {mixedExp2, mixedLog2, nullptr};
  case Precision::Float: return {floatExp2, nullptr, toFloat};
  }
  return {};
}

PrecisionError summary(std::vector<double> all) {
  if (all.empty())
    return {};
  std::ranges::sort(all);
  return {all.back(), all[(all.size() - 1) * 99 / 100]};
}

/// A mixture's transport by the formulas of the generated code.
template <class Real> class Mixture {
public:
  Mixture(const TransportModel &model, const chem::GivenState &state, const flow::Functions &functions)
      : model(model), functions(functions), isChemkin(model.fits.form == chem::FitForm::Chemkin),
        temperature(Real(state.temperature)), pressure(Real(state.pressure)) {
    for (double x : state.moleFractions)
      fractions.push_back(std::max(Real(x), least));
    u = Real(log2(temperature / 1024));
  }

  Real viscosity() const {
    const WilkeTables tables = wilkeTables(model, Units::Si);
    std::vector<Real> b;
    for (const TableRow &fit : tables.fits) {
      const Real p = polynomial(fit.values);
      b.push_back(isChemkin ? exp2(p) : 1 / p);
    }
    Real sum = 0;
    for (size_t k = 0; k < fractions.size(); ++k) {
      Real d0 = 0, d1 = 0, d2 = 0;
      for (size_t j = 0; j < fractions.size(); ++j) {
        const Real m = Real(wilkeElement(model, Units::Si, k, j)), x = fractions[j];
        d0 += m * x;
        d1 += m * (x * b[j]);
        d2 += m * (x * b[j] * b[j]);
      }
      sum += fractions[k] / (b[k] * (b[k] * d0 + 2 * d1) + d2);
    }
    return isChemkin ? sum : sum * 32 * exp2(u / 2);
  }

  Real conductivity() const {
    Real sum = 0, reciprocals = 0;
    const std::vector<TableRow> fits = conductivityFits(model, Units::Si);
    for (size_t k = 0; k < fractions.size(); ++k) {
      const Real p = polynomial(fits[k].values), lambda = isChemkin ? exp2(p) : p;
      sum += fractions[k] * lambda;
      reciprocals += fractions[k] / lambda;
    }
    const Real mean = (sum + 1 / reciprocals) / 2;
    return isChemkin ? mean : mean * 32 * exp2(u / 2);
  }

  std::vector<Real> diffusion() const {
    const auto weight = [&](size_t k) { return Real(model.mechanism.species[k].weight); };
    Real mean = 0;
    for (size_t k = 0; k < fractions.size(); ++k)
      mean += fractions[k] * weight(k);
    const Real factor = 32768 * exp2(Real(1.5) * u) / (pressure * mean);
    std::vector<Real> all;
    for (size_t k = 0; k < fractions.size(); ++k) {
      Real sum = 0, others = 0;
      for (size_t j = 0; j < fractions.size(); ++j) {
        sum += fractions[j] * polynomial(diffusionPair(model, j, k));
        others += j == k ? 0 : fractions[j] * weight(j);
      }
      all.push_back(factor * others / sum);
    }
    return all;
  }

private:
  static constexpr Real least = sizeof(Real) == sizeof(float) ? Real(1e-12) : Real(1e-20);
  const TransportModel &model;
  const flow::Functions &functions;
  bool isChemkin;
  Real temperature, pressure, u = 0;
  std::vector<Real> fractions;

  Real exp2(Real x) const { return Real(functions.exp2 ? functions.exp2(x) : std::exp2(x)); }
  Real log2(Real x) const { return Real(functions.log2 ? functions.log2(x) : std::log2(x)); }
  Real polynomial(const std::vector<double> &coefficients) const {
    Real sum = 0;
    for (auto each = coefficients.rbegin(); each != coefficients.rend(); ++each)
      sum = sum * u + Real(*each);
    return sum;
  }
};

template <class Real>
void addErrors(const Mixture<Real> &mixture, Kernel kernel, const SelfTestReference &reference, size_t s,
               std::vector<double> &all) {
  const auto add = [&](Real got, double want) { all.push_back(std::abs(double(got) / want - 1)); };
  if (kernel == Kernel::Viscosity)
    add(mixture.viscosity(), reference.viscosity[s]);
  if (kernel == Kernel::Conductivity)
    add(mixture.conductivity(), reference.conductivity[s]);
  if (kernel == Kernel::Diffusion) {
    const std::vector<Real> got = mixture.diffusion();
    for (size_t k = 0; k < got.size(); ++k)
      add(got[k], reference.diffusion[s][k]);
  }
}

} // namespace

PrecisionError chemistryError(const flow::Program &program, const SelfTestReference &reference,
                              Precision precision) {
  const flow::Functions functions = functionsOf(precision);
  std::vector<double> all;
  for (size_t s = 0; s < reference.states.size(); ++s) {
    const chem::GivenState &state = reference.states[s];
    std::vector<std::vector<double>> fields = {{state.temperature}, {state.pressure}, state.moleFractions};
    if (!reference.stiff.empty()) {
      fields.emplace_back();
      for (unsigned species : reference.stiff)
        fields.back().push_back(state.diffusionTerm[species]);
      fields.push_back({reference.timeStep});
    }
    const std::vector<double> got = flow::evaluate(program, fields, functions);
    for (size_t k = 0; k < got.size(); ++k)
      if (const double gross = reference.gross[s][k]; gross > 0)
        all.push_back(std::abs(got[k] - reference.rates[s][k]) / gross);
  }
  return summary(std::move(all));
}

PrecisionError transportError(const TransportModel &model, Kernel kernel, const SelfTestReference &reference,
                              Precision precision) {
  const flow::Functions functions = functionsOf(precision);
  std::vector<double> all;
  for (size_t s = 0; s < reference.states.size(); ++s)
    if (precision == Precision::Float)
      addErrors(Mixture<float>(model, reference.states[s], functions), kernel, reference, s, all);
    else
      addErrors(Mixture<double>(model, reference.states[s], functions), kernel, reference, s, all);
  return summary(std::move(all));
}

double toleranceOf(Kernel kernel, Precision precision) {
  const bool isChemistry = kernel == Kernel::Chemistry;
  switch (precision) {
  case Precision::Double: return isChemistry ? 1e-12 : 1e-13;
  case Precision::Mixed: return isChemistry ? 1e-7 : 1e-8;
  case Precision::Float: return isChemistry ? 1e-3 : 1e-5;
  }
  return 0;
}

} // namespace heddle::kernels
