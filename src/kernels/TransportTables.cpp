// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/TransportTables.h"

#include "kernels/Template.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::kernels {
namespace {

constexpr long double ln2 = 0.693147180559945309417232121458176568L;
constexpr long double log2e = 1 / ln2;
/// log2 of the temperature that u counts from.
constexpr long double middle = 10;

} // namespace

size_t coefficientCount(const std::vector<chem::Polynomial> &fits) {
  return fits.front().coefficients.size();
}

/// p((u + middle) ln 2) by Horner's rule on polynomials: multiply by the argument, add the next coefficient.
/// In more digits than a double has, since the terms cancel.
std::vector<double> inU(const chem::Polynomial &p, long double factor) {
  std::vector<long double> sum;
  for (auto c = p.coefficients.rbegin(); c != p.coefficients.rend(); ++c) {
    std::vector<long double> next(sum.size() + 1, 0.0L);
    for (size_t i = 0; i < sum.size(); ++i) {
      next[i] += sum[i] * (middle * ln2);
      next[i + 1] += sum[i] * ln2;
    }
    next[0] += *c;
    sum = std::move(next);
  }
  std::vector<double> result;
  for (long double each : sum)
    result.push_back(double(each * factor));
  return result;
}

std::string tableText(const std::vector<TableRow> &rows, const Real &real) {
  std::string text;
  for (const TableRow &row : rows) {
    const bool many = row.values.size() > 1;
    text += many ? "    {" : "    ";
    for (size_t i = 0; i < row.values.size(); ++i)
      text += (i ? ", " : "") + real.literal(row.values[i]);
    text += many ? "}," : ",";
    text += row.comment.empty() ? "\n" : " // " + inComment(row.comment) + "\n";
  }
  return text;
}

double unitOf(Kernel kernel, Units units) {
  if (units == Units::Si)
    return 1;
  switch (kernel) {
  case Kernel::Viscosity: return 10;     // Pa s in g/cm/s
  case Kernel::Conductivity: return 1e5; // W/m/K in erg/cm/s/K
  case Kernel::Diffusion: return 1e5;    // m2/s Pa in cm2/s dyn/cm2
  case Kernel::Chemistry: break;
  }
  return 1;
}

WilkeTables wilkeTables(const TransportModel &model, Units units) {
  const bool chemkin = model.fits.form == chem::FitForm::Chemkin;
  WilkeTables tables;
  tables.coefficients = coefficientCount(model.fits.viscosity);
  for (size_t k = 0; k < model.mechanism.species.size(); ++k) {
    const chem::Species &species = model.mechanism.species[k];
    const double root = std::sqrt(species.weight);
    std::vector<double> fit = inU(model.fits.viscosity[k], chemkin ? -log2e / 2 : 1 / std::sqrt(root));
    if (chemkin)
      fit[0] += std::log2(species.weight) / 4;
    fit.resize(tables.coefficients, 0.0);
    tables.fits.push_back({fit, species.name});
    tables.weights.push_back(
        {{species.weight, root, 1 / (std::sqrt(8 * species.weight) * unitOf(Kernel::Viscosity, units))},
         species.name});
  }
  return tables;
}

double wilkeElement(const TransportModel &model, Units units, size_t k, size_t j) {
  const double wk = model.mechanism.species[k].weight, wj = model.mechanism.species[j].weight;
  return std::sqrt(wj / (8 * wk * (wk + wj))) / unitOf(Kernel::Viscosity, units);
}

std::vector<TableRow> conductivityFits(const TransportModel &model, Units units) {
  const bool chemkin = model.fits.form == chem::FitForm::Chemkin;
  const double unit = unitOf(Kernel::Conductivity, units);
  const size_t count = coefficientCount(model.fits.conductivity);
  std::vector<TableRow> rows;
  for (size_t k = 0; k < model.mechanism.species.size(); ++k) {
    std::vector<double> fit = inU(model.fits.conductivity[k], chemkin ? log2e : unit);
    if (chemkin)
      fit[0] += std::log2(unit);
    fit.resize(count, 0.0);
    rows.push_back({fit, model.mechanism.species[k].name});
  }
  return rows;
}

std::vector<double> diffusionPair(const TransportModel &model, size_t j, size_t k) {
  const size_t count = coefficientCount(model.reciprocal.pairs);
  std::vector<double> row;
  if (j != k)
    row = inU(model.reciprocal.pairs[chem::pairIndex(j, k, model.mechanism.species.size())], 1);
  row.resize(count, 0.0);
  return row;
}

std::vector<TableRow> diffusionPairs(const TransportModel &model) {
  const auto &species = model.mechanism.species;
  std::vector<TableRow> rows;
  for (size_t j = 0; j < species.size(); ++j)
    for (size_t k = j + 1; k < species.size(); ++k)
      rows.push_back({diffusionPair(model, j, k), species[j].name + " " + species[k].name});
  return rows;
}

std::vector<TableRow> weightRows(const TransportModel &model) {
  std::vector<TableRow> rows;
  for (const chem::Species &species : model.mechanism.species)
    rows.push_back({{species.weight}, species.name});
  return rows;
}

} // namespace heddle::kernels
