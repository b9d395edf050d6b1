// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rate constants as expressions. The logarithm of most forms is at hand before the exponential is taken, so
// falloff needs no logarithm of its reduced pressure.
#include "chem/ProgramContext.h"
#include "chem/RateConstant.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {

using flow::Expr;

namespace {

/// Temperatures that generated code must be, far beyond where data hold.
constexpr double coldest = 100, hottest = 10000;
constexpr double least = 1e-300; ///< RateConstant.h's `tiny`

/// log2 |k|
Expr logOf(ProgramContext &context, const Arrhenius &rate) {
  if (context.isRegular) {
    const auto product = [&](double factor, const Expr &value, const Expr &addend) {
      return context.builder.emit(
          {flow::Op::Fma, 0, {flow::Operand::of(factor), value.get(), addend.get()}, 0, 0, {}});
    };
    return product(-rate.activationTemperature * log2OfE, context.at.reciprocal,
                   product(rate.b, context.at.log2Temperature, std::log2(std::abs(rate.a))));
  }
  const Expr scaled = fma(rate.b, context.at.log2Temperature, std::log2(std::abs(rate.a)));
  return fma(-rate.activationTemperature * log2OfE, context.at.reciprocal, scaled);
}

/// 2^argument, where the argument may be so small that the power vanishes.
Expr vanishing(const Expr &argument) { return exp2(max(argument, -1000.0)); }

/// exp(-T/scale): nothing where that vanishes at every temperature.
Expr decay(const ProgramContext &context, double scale) {
  const double factor = -log2OfE / scale;
  if (!(factor * coldest > -1000))
    return 0.0;
  const Expr argument = context.at.temperature * factor;
  return factor * hottest > -1000 ? exp2(argument) : vanishing(argument);
}

/// exp(-activation/T)
Expr activated(const ProgramContext &context, double activation) {
  const double factor = -activation * log2OfE;
  if (!(factor / hottest > -1000))
    return 0.0;
  const Expr argument = context.at.reciprocal * factor;
  return factor / coldest > -1000 ? exp2(argument) : vanishing(argument);
}

Expr rateOf(ProgramContext &context, const Arrhenius &rate, const ColliderValues &) {
  const Expr &t = context.at.temperature;
  if (rate.a == 0)
    return 0.0;
  if (rate.activationTemperature == 0 && (rate.b == 0 || rate.b == 1 || rate.b == 2)) {
    Expr k = rate.a;
    for (int i = 0; i < int(rate.b); ++i)
      k = k * t;
    return k;
  }
  if (rate.activationTemperature == 0 && rate.b == -1)
    return context.at.reciprocal * rate.a;
  const Expr k = exp2(logOf(context, rate));
  return rate.a < 0 ? 0.0 - k : k;
}

Expr rateOf(ProgramContext &context, const LandauTeller &rate, const ColliderValues &) {
  if (rate.arrhenius.a == 0)
    return 0.0;
  const Expr third = exp2(context.at.log2Temperature * (-1.0 / 3));
  const Expr k =
      exp2(fma(fma(rate.c * log2OfE, third, rate.b * log2OfE), third, logOf(context, rate.arrhenius)));
  return rate.arrhenius.a < 0 ? 0.0 - k : k;
}

/// log2 F by the forms of Falloff.cpp; everything in there to the base 10 is scaled to the base 2.
Expr logBlending(ProgramContext &, const Lindemann &, const Expr &) { return 0.0; }

Expr logBlending(ProgramContext &context, const Troe &troe, const Expr &logPressure) {
  Expr centre = decay(context, troe.t3) * (1 - troe.a) + decay(context, troe.t1) * troe.a;
  if (troe.t2.value_or(0) != 0)
    centre = centre + activated(context, *troe.t2);
  const Expr log = log2(max(centre, least));
  const Expr u = fma(-0.67, log, logPressure + -0.4 * log2Of10);
  const Expr v = fma(-0.14, u, fma(-1.27, log, 0.75 * log2Of10));
  const Expr square = v * v;
  return log * square * reciprocal(fma(u, u, square));
}

Expr logBlending(ProgramContext &context, const Sri &sri, const Expr &logPressure) {
  Expr base = activated(context, sri.b) * sri.a;
  if (sri.c != 0)
    base = base + decay(context, sri.c);
  const Expr lg = logPressure * (1 / log2Of10);
  const Expr log = log2(max(base, least)) * reciprocal(fma(lg, lg, 1.0));
  return log + fma(sri.e, context.at.log2Temperature, std::log2(sri.d));
}

RateParts partsOf(ProgramContext &context, const Falloff &rate, const ColliderValues &collider) {
  const bool hasLogs = rate.low.a > 0 && rate.high.a > 0;
  Expr low = 0.0, high = 0.0, logPressure = 0.0, reduced = 0.0;
  if (hasLogs) {
    low = logOf(context, rate.low), high = logOf(context, rate.high);
    logPressure = low - high + collider.log;
    reduced = vanishing(logPressure);
  } else {
    low = rateOf(context, rate.low, collider), high = rateOf(context, rate.high, collider);
    reduced = low * collider.concentration * reciprocal(high + least);
    logPressure = log2(max(reduced, least));
  }
  const Expr log =
      std::visit([&](const auto &shape) { return logBlending(context, shape, logPressure); }, rate.shape);
  const Expr share = reciprocal(reduced + 1.0);
  const Expr &limit = rate.chemicallyActivated ? low : high;
  const Expr factor = rate.chemicallyActivated ? share : reduced * share;
  return hasLogs ? RateParts{limit + log, factor} : RateParts{log, limit * factor};
}

Expr rateOf(ProgramContext &context, const Falloff &rate, const ColliderValues &collider) {
  const RateParts parts = partsOf(context, rate, collider);
  return exp2(parts.log) * parts.factor;
}

/// 0 below `from`, 1 above `to`, straight in between.
Expr ramp(const Expr &value, double from, double to) {
  const Expr slope = fma(value, 1 / (to - from), -from / (to - from));
  return 1.0 - max(1.0 - max(slope, 0.0), 0.0);
}

/// One rate of one sign at each pressure: its parameters are interpolated, which is the same as its
/// logarithm.
Expr interpolatedParameters(ProgramContext &context, const Plog &rate) {
  const std::vector<Plog::Point> &points = rate.points;
  const Expr logPressure = context.log2Pressure();
  const auto parameter = [&](auto get) {
    flow::Steps constant, slope;
    const auto at = [&](size_t i) { return get(points[i].rates.front()); };
    constant.values.push_back(at(0));
    slope.values.push_back(0);
    for (size_t i = 0; i < points.size(); ++i) {
      constant.thresholds.push_back(points[i].pressure);
      if (i + 1 == points.size()) {
        constant.values.push_back(at(i));
        slope.values.push_back(0);
        break;
      }
      const double from = std::log2(points[i].pressure), to = std::log2(points[i + 1].pressure);
      slope.values.push_back((at(i + 1) - at(i)) / (to - from));
      constant.values.push_back(at(i) - slope.values.back() * from);
    }
    slope.thresholds = constant.thresholds;
    return fma(piecewise(context.at.pressure, slope), logPressure, piecewise(context.at.pressure, constant));
  };
  const Expr a = parameter([](const Arrhenius &each) { return std::log2(std::abs(each.a)); });
  const Expr b = parameter([](const Arrhenius &each) { return each.b; });
  const Expr c = parameter([](const Arrhenius &each) { return -each.activationTemperature * log2OfE; });
  return exp2(fma(c, context.at.reciprocal, fma(b, context.at.log2Temperature, a)));
}

/// Sums of rates at each pressure, their logarithms interpolated. A sum that is not positive counts as none.
Expr interpolatedSums(ProgramContext &context, const Plog &rate, double sign) {
  const Expr logPressure = context.log2Pressure();
  std::vector<Expr> logs;
  for (const Plog::Point &point : rate.points) {
    Expr sum = 0.0;
    for (const Arrhenius &each : point.rates)
      sum = sum + rateOf(context, each, {}) * sign;
    logs.push_back(log2(max(sum, least)));
  }
  Expr log = logs.front();
  for (size_t i = 0; i + 1 < logs.size(); ++i)
    log = fma(ramp(logPressure, std::log2(rate.points[i].pressure), std::log2(rate.points[i + 1].pressure)),
              logs[i + 1] - logs[i], log);
  return exp2(log);
}

Expr rateOf(ProgramContext &context, const Plog &rate, const ColliderValues &) {
  const auto every = [&](auto holds) {
    return std::ranges::all_of(
        rate.points, [&](const Plog::Point &point) { return std::ranges::all_of(point.rates, holds); });
  };
  const double sign = isNegative(rate) ? -1 : 1;
  const bool isSingle =
      std::ranges::all_of(rate.points, [](const auto &point) { return point.rates.size() == 1; });
  const Expr k = isSingle && every([&](const Arrhenius &each) { return each.a * sign > 0; })
                     ? interpolatedParameters(context, rate)
                     : interpolatedSums(context, rate, sign);
  return sign < 0 ? 0.0 - k : k;
}

/// sum_i c_i T_i(x), by Clenshaw's recurrence.
Expr chebyshevSum(const std::vector<Expr> &coefficients, const Expr &x) {
  Expr next = 0.0, afterNext = 0.0;
  for (size_t i = coefficients.size() - 1; i > 0; --i) {
    const Expr current = fma(x * 2.0, next, coefficients[i]) - afterNext;
    afterNext = next;
    next = current;
  }
  return fma(x, next, coefficients[0]) - afterNext;
}

Expr rateOf(ProgramContext &context, const Chebyshev &rate, const ColliderValues &) {
  const auto reduced = [](const Expr &x, double low, double high) {
    return fma(x, 2 / (high - low), -(low + high) / (high - low));
  };
  const Expr t = reduced(context.at.reciprocal, 1 / rate.lowTemperature, 1 / rate.highTemperature);
  const Expr p = reduced(context.log2Pressure(), std::log2(rate.lowPressure), std::log2(rate.highPressure));
  std::vector<Expr> overT;
  for (unsigned i = 0; i < rate.temperatures; ++i) {
    std::vector<Expr> row;
    for (unsigned j = 0; j < rate.pressures; ++j)
      row.push_back(rate.coefficients[i * rate.pressures + j] * log2Of10);
    overT.push_back(chebyshevSum(row, p));
  }
  return exp2(chebyshevSum(overT, t));
}

} // namespace

RateParts rateParts(ProgramContext &context, const Rate &rate, const ColliderValues &collider) {
  if (const auto *arrhenius = std::get_if<Arrhenius>(&rate); arrhenius && arrhenius->a != 0)
    return {logOf(context, *arrhenius), arrhenius->a < 0 ? -1.0 : 1.0};
  if (const auto *falloff = std::get_if<Falloff>(&rate))
    return partsOf(context, *falloff, collider);
  return {0.0, rateExpression(context, rate, collider)};
}

Expr rateExpression(ProgramContext &context, const Rate &rate, const ColliderValues &collider) {
  return std::visit([&](const auto &form) { return rateOf(context, form, collider); }, rate);
}

} // namespace heddle::chem
