// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/TransportProgram.h"

#include "chem/MixtureTransport.h"
#include "flow/Builder.h"
#include "kernels/TransportTables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>

namespace heddle::kernels {

using flow::Expr;

namespace {

/// Numbers of species that one operation takes.
using Group = std::vector<unsigned>;

class TransportBuilder {
public:
  TransportBuilder(const TransportModel &model, Kernel kernel, Units units, unsigned speciesAtOnce)
      : model(model), kernel(kernel), units(units), count(unsigned(model.mechanism.species.size())) {
    temperatureField = b.addField("temperature", 1);
    pressureField = b.addField("pressure", 1);
    moleFractions = b.addField("moleFractions", count);
    for (unsigned k = 0; k < count; ++k) {
      if (k % std::max(1u, speciesAtOnce) == 0)
        groups.emplace_back();
      groups.back().push_back(k);
    }
  }

  flow::Program program() {
    switch (kernel) {
    case Kernel::Viscosity: viscosity(); break;
    case Kernel::Conductivity: conductivity(); break;
    case Kernel::Diffusion: diffusion(); break;
    case Kernel::Chemistry: assert(false && "not a transport kernel");
    }
    return b.finish();
  }

private:
  const TransportModel &model;
  Kernel kernel;
  Units units;
  unsigned count;
  unsigned temperatureField = 0, pressureField = 0, moleFractions = 0;
  flow::Builder b;
  std::vector<Group> groups;
  Expr temperature = 0.0, u = 0.0;

  /// Computes u, which fits are polynomials in.
  void beginWithTemperature() {
    b.begin("temperature");
    temperature = b.named("t", b.load(temperatureField, 0));
    u = b.named("u", log2(temperature * (1.0 / 1024)));
  }

  /// T^(1/2)
  Expr rootOfTemperature() { return exp2(u * 0.5) * 32.0; }

  Expr fraction(unsigned species) {
    return b.named(fmt::format("x{}", species), max(b.load(moleFractions, species), chem::leastMoleFraction));
  }

  Expr fit(const std::vector<double> &coefficients) const {
    return polynomial({coefficients.begin(), coefficients.end()}, u);
  }

  std::string note(const char *what, const Group &group) const {
    std::string text = what;
    for (unsigned k : group)
      text += " " + model.mechanism.species[k].name;
    return text;
  }

  void viscosity();
  void conductivity();
  void diffusion();
  std::vector<Expr> fractionsByGroup();
  void columns(const Group &group, const std::vector<Expr> &x, const std::vector<unsigned> &sums);
};

/// b_k D0 + 2 D1 and so on: see TransportTables.h.
void TransportBuilder::viscosity() {
  const unsigned result = b.addSum("viscosity");
  const WilkeTables tables = wilkeTables(model, units);
  const bool chemkin = model.fits.form == chem::FitForm::Chemkin;
  beginWithTemperature();
  const Expr scale = chemkin ? Expr(1.0) : b.named("scale", rootOfTemperature());
  struct Roots {
    Expr inverse = 0.0, x = 0.0, xb = 0.0, xbb = 0.0;
  };
  std::vector<Roots> roots(count);
  for (const Group &group : groups) {
    b.begin(note("roots of", group));
    for (unsigned k : group) {
      const Expr p = fit(tables.fits[k].values);
      Roots &each = roots[k];
      each.inverse = b.named(fmt::format("b{}", k), chemkin ? exp2(p) : reciprocal(p));
      each.x = fraction(k);
      each.xb = b.named(fmt::format("xb{}", k), each.x * each.inverse);
      each.xbb = b.named(fmt::format("xbb{}", k), each.xb * each.inverse);
    }
  }
  for (const Group &group : groups) {
    b.begin(note("terms of", group));
    std::vector<Expr> d0(group.size(), 0.0), d1 = d0, d2 = d0;
    for (unsigned j = 0; j < count; ++j)
      for (size_t i = 0; i < group.size(); ++i) {
        const double m = wilkeElement(model, units, group[i], j);
        d0[i] = fma(roots[j].x, m, d0[i]);
        d1[i] = fma(roots[j].xb, m, d1[i]);
        d2[i] = fma(roots[j].xbb, m, d2[i]);
      }
    Expr sum = 0.0;
    for (size_t i = 0; i < group.size(); ++i) {
      const Roots &own = roots[group[i]];
      const Expr others = fma(own.inverse, fma(own.inverse, d0[i], d1[i] * 2.0), d2[i]);
      sum = fma(own.x, reciprocal(others), sum);
    }
    b.add(result, 1, sum * scale);
  }
}

void TransportBuilder::conductivity() {
  const unsigned result = b.addSum("conductivity");
  const unsigned direct = b.addInnerSum("direct"), inverse = b.addInnerSum("inverse");
  const bool chemkin = model.fits.form == chem::FitForm::Chemkin;
  const std::vector<TableRow> fits = conductivityFits(model, units);
  beginWithTemperature();
  for (const Group &group : groups) {
    b.begin(note("conductivity of", group));
    Expr sum = 0.0, reciprocals = 0.0;
    for (unsigned k : group) {
      const Expr p = fit(fits[k].values), lambda = chemkin ? exp2(p) : p;
      const Expr x = fraction(k);
      sum = fma(x, lambda, sum);
      reciprocals = fma(x, reciprocal(lambda), reciprocals);
    }
    b.add(direct, 1, sum);
    b.add(inverse, 1, reciprocals);
  }
  b.begin("mean of both means");
  const Expr means = b.total(direct) + reciprocal(b.total(inverse));
  b.add(result, 0.5, chemkin ? means : means * rootOfTemperature());
}

/// Mole fractions, some species at a time.
std::vector<Expr> TransportBuilder::fractionsByGroup() {
  std::vector<Expr> x(count, 0.0);
  for (const Group &group : groups) {
    b.begin(note("mole fractions of", group));
    for (unsigned k : group)
      x[k] = fraction(k);
  }
  return x;
}

/// The pairs of neighbouring columns, row by row: one fetch of a row's mole fraction serves all of them.
void TransportBuilder::columns(const Group &group, const std::vector<Expr> &x,
                               const std::vector<unsigned> &sums) {
  b.begin(note("pairs of", group));
  std::map<unsigned, Expr> ofColumn, ofRow;
  const unsigned first = group.front();
  for (unsigned distance = 1; distance <= count; ++distance) {
    const unsigned row = (first + distance) % count;
    for (unsigned j : group) {
      const std::vector<unsigned> rows = halfColumn(j, count);
      if (std::ranges::find(rows, row) == rows.end())
        continue;
      const Expr p = fit(diffusionPair(model, j, row));
      const auto add = [&](std::map<unsigned, Expr> &to, unsigned at, const Expr &fractionOfOther) {
        auto [sum, isNew] = to.try_emplace(at, 0.0);
        sum->second = fma(fractionOfOther, p, sum->second);
      };
      add(ofColumn, j, x[row]);
      add(ofRow, row, x[j]);
    }
  }
  for (const auto *each : {&ofColumn, &ofRow})
    for (const auto &[species, sum] : *each)
      b.add(sums[species], 1, sum);
}

/// The largest X_k W_k of some species and the sum of all others. W - X_k W_k of a species that is nearly alone is that sum:
/// the difference would lose its digits. For all others it is at least half of W.
struct Weights {
  Expr largest = 0.0, rest = 0.0;

  void add(const Expr &own) {
    rest = rest + (0.0 - max(0.0 - own, 0.0 - largest)); // the smaller one of both
    largest = max(own, largest);
  }
};

void TransportBuilder::diffusion() {
  std::vector<unsigned> results, sums;
  for (unsigned k = 0; k < count; ++k)
    results.push_back(b.addSum(fmt::format("d{}", k)));
  for (unsigned k = 0; k < count; ++k)
    sums.push_back(b.addInnerSum(fmt::format("pairs{}", k)));
  beginWithTemperature();
  const std::vector<Expr> x = fractionsByGroup();
  std::vector<Weights> ofGroups;
  for (const Group &group : groups) {
    b.begin(note("mean weight of", group));
    Weights weights;
    for (unsigned k : group)
      weights.add(x[k] * model.mechanism.species[k].weight);
    const size_t n = ofGroups.size();
    ofGroups.push_back({b.named(fmt::format("largest{}", n), weights.largest),
                        b.named(fmt::format("rest{}", n), weights.rest)});
  }
  for (const Group &group : groups)
    columns(group, x, sums);
  b.begin("mean weight and pressure");
  Weights all = ofGroups.front();
  for (size_t i = 1; i < ofGroups.size(); ++i) {
    all.rest = all.rest + ofGroups[i].rest;
    all.add(ofGroups[i].largest);
  }
  const Expr rest = b.named("rest", all.rest);
  const Expr mean = b.named("mean", all.largest + rest);
  const Expr pressure = b.load(pressureField, 0);
  const Expr factor = b.named("factor", temperature * rootOfTemperature() * unitOf(kernel, units) *
                                            reciprocal(pressure * mean));
  for (const Group &group : groups) {
    b.begin(note("coefficients of", group));
    for (unsigned k : group) {
      const double weight = model.mechanism.species[k].weight;
      const Expr others = ifPositive(fma(x[k], 2 * weight, 0.0 - mean), rest, mean - x[k] * weight);
      b.add(results[k], 1, factor * others * reciprocal(b.total(sums[k])));
    }
  }
}

} // namespace

std::vector<unsigned> halfColumn(unsigned j, unsigned n) {
  // Of an even number the opposite species is as far in both directions: the first half of the columns has
  // it.
  const unsigned length = n % 2 == 1 || j >= n / 2 ? (n - 1) / 2 : n / 2;
  std::vector<unsigned> rows;
  for (unsigned i = 1; i <= length; ++i)
    rows.push_back((j + i) % n);
  return rows;
}

PairWork pairWork(const TransportModel &model, Kernel kernel) {
  const unsigned n = unsigned(model.mechanism.species.size());
  if (kernel == Kernel::Viscosity)
    return {3 * n * n, 3 * n * n};
  if (kernel != Kernel::Diffusion)
    return {};
  const unsigned coefficients = unsigned(model.reciprocal.pairs.front().coefficients.size());
  return {(coefficients + 1) * n * (n - 1) / 2, coefficients * n * n};
}

flow::Program transportProgram(const TransportModel &model, Kernel kernel, Units units,
                               unsigned speciesAtOnce) {
  return TransportBuilder(model, kernel, units, speciesAtOnce).program();
}

} // namespace heddle::kernels
