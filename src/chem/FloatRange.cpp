// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials of single precision end at 2^127: a rate constant above is replaced by that, which gives a rate that
// is finite and wrong. How large the numbers of a reaction become is bounded from above here, in logarithms and by
// the forms of NarrowProgram.cpp, for every composition and all pressures up to FloatRange::pressure:
//
// 1. The exponential of the forward direction: the rate constant; of falloff, its limit times the largest F. PLOG and
//    Chebyshev are computed apart from the exponential, and so is falloff with negative factors.
// 2. That of the reverse direction: the same times 1/Kc. Where the rate constant is apart, 1/Kc has to fit alone.
// 3. The products with concentrations, of which none exceeds P/RT, and with the concentration of colliders.
// 4. The reduced pressure of falloff, whose reciprocal has to be a normal number.
//
// Numbers that are too small are no fault: they are replaced by 2^-126, and nothing visible comes of them.
#include "chem/FloatRange.h"

#include "chem/Constants.h"
#include "chem/Kinetics.h"
#include "chem/RateConstant.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

constexpr double mostExponent = 127, mostReducedExponent = 126;
constexpr double leastPressure = 100;   ///< Pa
constexpr unsigned pressuresTried = 16; ///< for Chebyshev, whose bound is found by trying

double log2Of(double value) { return std::log2(std::max(std::abs(value), tiny)); }

/// Bounds of log2 of one direction's rate constant.
struct Bounds {
  double power = 0;    ///< of what is in the exponential
  double apart = 0;    ///< of what multiplies it
  double reduced = -1; ///< of the reduced pressure
};

class Bounding {
public:
  Bounding(double temperature, double collider) : temperature(temperature), collider(collider) {}

  Bounds operator()(const Arrhenius &rate) const { return {log2Of(at(rate))}; }

  Bounds operator()(const LandauTeller &rate) const { return {0, log2Of(at(rate))}; }

  Bounds operator()(const Falloff &rate) const {
    const double low = log2Of(at(rate.low)), high = log2Of(at(rate.high));
    // F is largest at a reduced pressure of 1 or far from it.
    const double shape = std::max(log2Of(blending(rate.shape, temperature, 1)),
                                  log2Of(blending(rate.shape, temperature, 1e30)));
    const double limit = rate.chemicallyActivated ? low : high, reduced = low - high + log2Of(collider);
    if (rate.low.a > 0 && rate.high.a > 0)
      return {limit + shape, 0, reduced};
    return {shape, limit, reduced};
  }

  Bounds operator()(const Plog &rate) const {
    double largest = log2Of(0);
    for (const Plog::Point &point : rate.points) {
      double sum = 0;
      for (const Arrhenius &each : point.rates)
        sum += std::abs(at(each));
      largest = std::max(largest, log2Of(sum));
    }
    return {0, largest};
  }

  Bounds operator()(const Chebyshev &rate) const {
    double largest = log2Of(0);
    for (unsigned i = 0; i <= pressuresTried; ++i) {
      const double pressure =
          leastPressure * std::pow(FloatRange::pressure / leastPressure, double(i) / pressuresTried);
      largest = std::max(largest, log2Of(rateConstant(rate, {temperature, pressure, 0})));
    }
    return {0, largest};
  }

private:
  double temperature, collider;

  template <class Form> double at(const Form &rate) const { return rateConstant(rate, {temperature, 0, 0}); }
};

double orderOfTerms(const std::vector<Term> &orders) {
  double sum = 0;
  for (const Term &term : orders)
    sum += std::max(term.value, 0.0);
  return sum;
}

double largestEfficiency(const Collider &collider) {
  double largest = collider.named ? 1 : collider.defaultEfficiency;
  for (const Term &term : collider.efficiencies)
    largest = std::max(largest, term.value);
  return largest;
}

bool fits(const Mechanism &mechanism, const Reaction &reaction, double temperature) {
  const double total = FloatRange::pressure / (gasConstant * temperature);
  const double collider = reaction.collider ? total * largestEfficiency(*reaction.collider) : 1;
  const Bounding bounding(temperature, collider);
  // Products are formed factor by factor: those below 1 do not help.
  const double colliders = reaction.isFalloff() ? 0 : std::max(0.0, log2Of(collider));
  const auto fitsOne = [&](const Bounds &bounds, const std::vector<Term> &orders) {
    const double concentrations = orderOfTerms(orders) * std::max(0.0, std::log2(total));
    return bounds.power <= mostExponent && bounds.apart <= mostExponent &&
           bounds.reduced <= mostReducedExponent &&
           bounds.power + std::max(0.0, bounds.apart) + concentrations + colliders <= mostExponent;
  };
  Bounds bounds = std::visit(bounding, reaction.rate);
  if (!fitsOne(bounds, forwardOrders(reaction)))
    return false;
  switch (reaction.reverse) {
  case Reverse::None: return true;
  case Reverse::Explicit:
    return fitsOne(std::visit(bounding, *reaction.reverseRate), reverseOrders(reaction));
  case Reverse::Equilibrium: break;
  }
  bounds.power += log2Of(reciprocalEquilibrium(mechanism, reaction, temperature));
  return fitsOne(bounds, reverseOrders(reaction));
}

} // namespace

FloatRange floatRange(const Mechanism &mechanism) {
  FloatRange range;
  for (double temperature = FloatRange::hottest; temperature >= FloatRange::coldest;
       temperature -= FloatRange::step) {
    const auto large = std::ranges::find_if(
        mechanism.reactions, [&](const Reaction &each) { return !fits(mechanism, each, temperature); });
    if (large != mechanism.reactions.end()) {
      range.limiting = &*large;
      return range;
    }
    range.lowest = temperature;
  }
  return range;
}

} // namespace heddle::chem
