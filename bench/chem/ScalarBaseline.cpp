// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a library for one state at a time has to do, by the steps that Cantera takes: an exponential for each
// rate and for each equilibrium constant, powers and logarithms for falloff, Wilke's rule and pair
// coefficients element by element. No vectors of points, no exponential saved. Flat arrays and direct loops
// where Cantera has virtual calls and maps, so this is expected to be faster than Cantera on the same core, which was
// not measured.
//
//     heddle_chem_baseline MECHANISM      microseconds per point: best and median of 28 runs
#include "chem/Constants.h"
#include "chem/Evaluator.h"
#include "chem/Fits.h"
#include "chem/MechanismFiles.h"
#include "chem/MixtureTransport.h"
#include "kernels/SelfTest.h"
#include "support/Diagnostics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iostream>

namespace {

using namespace heddle;
using chem::Term;

struct Efficiencies {
  unsigned reaction;
  double standard;
  std::vector<Term> others; ///< by how much they differ from the standard
};

struct FalloffRate {
  unsigned reaction;
  chem::Arrhenius low;
  chem::Troe troe;
  bool hasTroe;
};

class Rates {
public:
  explicit Rates(const chem::Mechanism &mechanism) : mechanism(mechanism) {
    for (unsigned i = 0; i < mechanism.reactions.size(); ++i)
      add(i, mechanism.reactions[i]);
    const size_t n = mechanism.species.size(), m = mechanism.reactions.size();
    for (auto *each : {&concentrations, &gibbs, &net})
      each->resize(n);
    for (auto *each : {&forward, &colliders, &reciprocalKc, &ropForward, &ropReverse})
      each->resize(m);
  }

  const std::vector<double> &at(const chem::GivenState &state) {
    const double t = state.temperature, logT = std::log(t), rT = 1 / t;
    thermo(t, logT, rT);
    const double total = state.pressure / (chem::gasConstant * t);
    for (size_t k = 0; k < concentrations.size(); ++k)
      concentrations[k] = state.moleFractions[k] * total;
    for (size_t i = 0; i < high.size(); ++i)
      forward[i] = high[i].a * std::exp(high[i].b * logT - high[i].activationTemperature * rT);
    std::fill(colliders.begin(), colliders.end(), 1.0);
    for (const Efficiencies &each : efficiencies) {
      double sum = each.standard * total;
      for (const Term &term : each.others)
        sum += term.value * concentrations[term.species];
      colliders[each.reaction] = sum;
    }
    for (const FalloffRate &each : falloff)
      blend(each, t, logT, rT);
    equilibrium(t);
    progress();
    return net;
  }

private:
  const chem::Mechanism &mechanism;
  std::vector<chem::Arrhenius> high;
  std::vector<Efficiencies> efficiencies;
  std::vector<FalloffRate> falloff;
  std::vector<unsigned> reversible;
  std::vector<double> concentrations, gibbs, net, forward, colliders, reciprocalKc, ropForward, ropReverse;

  void add(unsigned i, const chem::Reaction &reaction) {
    if (reaction.collider) {
      Efficiencies each = {i, reaction.collider->defaultEfficiency, {}};
      for (const Term &term : reaction.collider->efficiencies)
        each.others.push_back({term.species, term.value - each.standard});
      efficiencies.push_back(each);
    }
    if (const auto *rate = std::get_if<chem::Falloff>(&reaction.rate)) {
      const auto *troe = std::get_if<chem::Troe>(&rate->shape);
      falloff.push_back({i, rate->low, troe ? *troe : chem::Troe(), troe != nullptr});
      high.push_back(rate->high);
    } else {
      high.push_back(std::get<chem::Arrhenius>(reaction.rate));
    }
    if (reaction.reverse == chem::Reverse::Equilibrium)
      reversible.push_back(i);
  }

  /// Heat capacity, enthalpy and entropy of every species: a change of temperature updates all of them.
  void thermo(double t, double logT, double rT) {
    for (size_t k = 0; k < gibbs.size(); ++k) {
      const auto &ranges = std::get<std::vector<chem::Nasa7Range>>(mechanism.species[k].thermo);
      const std::array<double, 7> &a = (ranges.size() > 1 && t > ranges[0].high ? ranges[1] : ranges[0]).a;
      const double t2 = t * t, t3 = t2 * t, t4 = t3 * t;
      const double h = a[0] + a[1] / 2 * t + a[2] / 3 * t2 + a[3] / 4 * t3 + a[4] / 5 * t4 + a[5] * rT;
      const double s = a[0] * logT + a[1] * t + a[2] / 2 * t2 + a[3] / 3 * t3 + a[4] / 4 * t4 + a[6];
      gibbs[k] = h - s;
    }
  }

  void blend(const FalloffRate &rate, double t, double logT, double rT) {
    const double low = rate.low.a * std::exp(rate.low.b * logT - rate.low.activationTemperature * rT);
    const double pr = colliders[rate.reaction] * low / (forward[rate.reaction] + 1e-300);
    double f = 1;
    if (rate.hasTroe) {
      double centre =
          (1 - rate.troe.a) * std::exp(-t / rate.troe.t3) + rate.troe.a * std::exp(-t / rate.troe.t1);
      if (rate.troe.t2)
        centre += std::exp(-*rate.troe.t2 * rT);
      const double lgCentre = std::log10(std::max(centre, 1e-300)), lgPr = std::log10(std::max(pr, 1e-300));
      const double c = lgPr - 0.4 - 0.67 * lgCentre, n = 0.75 - 1.27 * lgCentre;
      const double ratio = c / (n - 0.14 * c);
      f = std::pow(10.0, lgCentre / (1 + ratio * ratio));
    }
    forward[rate.reaction] *= pr / (1 + pr) * f;
    colliders[rate.reaction] = 1;
  }

  void equilibrium(double t) {
    const double logStandard = std::log(chem::oneAtmosphere / (chem::gasConstant * t));
    for (unsigned i : reversible) {
      const chem::Reaction &reaction = mechanism.reactions[i];
      double delta = 0;
      for (const Term &term : reaction.products)
        delta += term.value * (gibbs[term.species] - logStandard);
      for (const Term &term : reaction.reactants)
        delta -= term.value * (gibbs[term.species] - logStandard);
      reciprocalKc[i] = std::exp(delta);
    }
  }

  double product(const std::vector<Term> &terms) const {
    double all = 1;
    for (const Term &term : terms)
      all *= term.value == 1   ? concentrations[term.species]
             : term.value == 2 ? concentrations[term.species] * concentrations[term.species]
                               : std::pow(concentrations[term.species], term.value);
    return all;
  }

  void progress() {
    std::fill(net.begin(), net.end(), 0.0);
    for (size_t i = 0; i < high.size(); ++i) {
      const chem::Reaction &reaction = mechanism.reactions[i];
      const double k = forward[i] * colliders[i];
      ropForward[i] = k * product(reaction.reactants);
      ropReverse[i] = k * reciprocalKc[i] * product(reaction.products);
    }
    for (size_t i = 0; i < high.size(); ++i) {
      const double rate = ropForward[i] - ropReverse[i];
      for (const Term &term : mechanism.reactions[i].products)
        net[term.species] += term.value * rate;
      for (const Term &term : mechanism.reactions[i].reactants)
        net[term.species] -= term.value * rate;
    }
  }
};

class Transport {
public:
  explicit Transport(const chem::Mechanism &mechanism)
      : mechanism(mechanism), fits(chem::fitTransport(mechanism, chem::FitForm::Cantera)),
        n(mechanism.species.size()), root(n), viscosities(n), work(n), diffusion(n), phi(n * n), ratio(n * n),
        denominator(n * n), pairs(n * n) {
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) {
        ratio[k * n + j] = std::pow(weight(j) / weight(k), 0.25);
        denominator[k * n + j] = std::sqrt(8.0) * std::sqrt(1 + weight(k) / weight(j));
      }
  }

  double viscosity(const chem::GivenState &state) {
    powers(state.temperature);
    for (size_t k = 0; k < n; ++k) {
      root[k] = fourthRoot * polynomial(fits.viscosity[k]);
      viscosities[k] = root[k] * root[k];
    }
    for (size_t k = 0; k < n; ++k)
      for (size_t j = k; j < n; ++j) {
        const double f = 1 + root[k] / root[j] * ratio[k * n + j];
        phi[k * n + j] = f * f / denominator[k * n + j];
        phi[j * n + k] = phi[k * n + j] / (viscosities[k] / viscosities[j] * (weight(j) / weight(k)));
      }
    double sum = 0;
    for (size_t k = 0; k < n; ++k) {
      double others = 0;
      for (size_t j = 0; j < n; ++j)
        others += phi[k * n + j] * state.moleFractions[j];
      sum += state.moleFractions[k] * viscosities[k] / others;
    }
    return sum;
  }

  double conductivity(const chem::GivenState &state) {
    powers(state.temperature);
    const double rootT = std::sqrt(state.temperature);
    double sum = 0, reciprocals = 0;
    for (size_t k = 0; k < n; ++k) {
      const double lambda = rootT * polynomial(fits.conductivity[k]);
      sum += state.moleFractions[k] * lambda;
      reciprocals += state.moleFractions[k] / lambda;
    }
    return 0.5 * (sum + 1 / reciprocals);
  }

  const std::vector<double> &mixtureDiffusion(const chem::GivenState &state) {
    powers(state.temperature);
    const double factor = state.temperature * std::sqrt(state.temperature);
    size_t pair = 0;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i; j < n; ++j)
        pairs[i * n + j] = pairs[j * n + i] = factor * polynomial(fits.diffusion[pair++]);
    double mean = 0;
    for (size_t k = 0; k < n; ++k)
      mean += state.moleFractions[k] * weight(k);
    for (size_t k = 0; k < n; ++k) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j)
        if (j != k)
          sum += state.moleFractions[j] / pairs[k * n + j];
      diffusion[k] = (mean - state.moleFractions[k] * weight(k)) / (state.pressure * mean * sum);
    }
    return diffusion;
  }

private:
  const chem::Mechanism &mechanism;
  chem::TransportFits fits;
  size_t n;
  std::vector<double> root, viscosities, work, diffusion, phi, ratio, denominator, pairs;
  double l[5] = {}, fourthRoot = 0;

  double weight(size_t k) const { return mechanism.species[k].weight; }

  void powers(double t) {
    const double log = std::log(t);
    fourthRoot = std::sqrt(std::sqrt(t));
    l[0] = 1;
    for (int i = 1; i < 5; ++i)
      l[i] = l[i - 1] * log;
  }

  double polynomial(const chem::Polynomial &p) const {
    const double *c = p.coefficients.data();
    return l[0] * c[0] + l[1] * c[1] + l[2] * c[2] + l[3] * c[3] + l[4] * c[4];
  }
};

double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

volatile double keep;

template <class Evaluate>
void measure(const char *name, const std::vector<chem::GivenState> &states, double off, Evaluate evaluate) {
  constexpr int rounds = 40, runs = 28;
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const double begin = seconds();
    for (int i = 0; i < rounds; ++i)
      for (const chem::GivenState &state : states)
        keep = evaluate(state);
    times.push_back((seconds() - begin) / double(rounds * states.size()) * 1e6);
  }
  std::ranges::sort(times);
  std::printf("%-14s best %6.3f  median %6.3f us per point, maximum relative error %.1e\n", name,
              times.front(), times[runs / 2], off);
}

} // namespace

int main(int count, char **words) {
  Diagnostics diagnostics;
  const auto mechanism =
      count > 1 ? chem::readMechanism({{words[1]}, {}, true}, diagnostics) : std::optional<chem::Mechanism>();
  if (!mechanism || !std::ranges::all_of(mechanism->reactions, [](const chem::Reaction &each) {
        return (each.isFalloff() || std::holds_alternative<chem::Arrhenius>(each.rate)) &&
               each.reverse != chem::Reverse::Explicit && !each.forwardOrders && !each.reverseOrders;
      })) {
    print(std::cerr, diagnostics, false);
    std::fprintf(stderr, "a mechanism with transport data, of Arrhenius and Troe reactions: %s FOLDER\n",
                 words[0]);
    return 2;
  }
  const std::vector<chem::GivenState> states = kernels::selfTestStates(*mechanism, 24);
  const chem::Evaluator evaluator(*mechanism, {}, diagnostics);
  Rates rates(*mechanism);
  Transport transport(*mechanism);
  const chem::TransportFits fits = chem::fitTransport(*mechanism, chem::FitForm::Cantera);
  double offRates = 0, offViscosity = 0, offConductivity = 0, offDiffusion = 0;
  for (const chem::GivenState &state : states) {
    const chem::Evaluation want = evaluator.at(state);
    const chem::MixtureTransport mixture = chem::mixtureTransport(*mechanism, fits, state);
    const std::vector<double> &net = rates.at(state);
    for (size_t k = 0; k < net.size(); ++k)
      if (const double gross = want.production.creation[k] + want.production.destruction[k]; gross > 0)
        offRates = std::max(offRates, std::abs(net[k] - want.production.net[k]) / gross);
    offViscosity = std::max(offViscosity, std::abs(transport.viscosity(state) / mixture.viscosity - 1));
    offConductivity =
        std::max(offConductivity, std::abs(transport.conductivity(state) / mixture.conductivity - 1));
    const std::vector<double> &diffusion = transport.mixtureDiffusion(state);
    for (size_t k = 0; k < diffusion.size(); ++k)
      offDiffusion = std::max(offDiffusion, std::abs(diffusion[k] / mixture.diffusion[k] - 1));
  }
  measure("chemistry", states, offRates, [&](const auto &state) { return rates.at(state)[0]; });
  measure("viscosity", states, offViscosity, [&](const auto &state) { return transport.viscosity(state); });
  measure("conductivity", states, offConductivity,
          [&](const auto &state) { return transport.conductivity(state); });
  measure("diffusion", states, offDiffusion,
          [&](const auto &state) { return transport.mixtureDiffusion(state)[0]; });
}
