// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/Thermo.h"

#include "chem/Constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::chem {
namespace {

using Ranges = std::vector<Nasa7Range>;

double heatCapacityOf(const Ranges &ranges, double t) {
  const auto &a = rangeAt(ranges, t).a;
  return a[0] + t * (a[1] + t * (a[2] + t * (a[3] + t * a[4])));
}

double enthalpyOf(const Ranges &ranges, double t) {
  const auto &a = rangeAt(ranges, t).a;
  return a[0] + t * (a[1] / 2 + t * (a[2] / 3 + t * (a[3] / 4 + t * a[4] / 5))) + a[5] / t;
}

double entropyOf(const Ranges &ranges, double t) {
  const auto &a = rangeAt(ranges, t).a;
  return a[0] * std::log(t) + t * (a[1] + t * (a[2] / 2 + t * (a[3] / 3 + t * a[4] / 4))) + a[6];
}

double heatCapacityOf(const ConstantCp &c, double) { return c.cp / gasConstant; }

double enthalpyOf(const ConstantCp &c, double t) {
  return (c.enthalpy + c.cp * (t - c.temperature)) / (gasConstant * t);
}

double entropyOf(const ConstantCp &c, double t) {
  return (c.entropy + c.cp * std::log(t / c.temperature)) / gasConstant;
}

TemperatureRange rangeOf(const Ranges &ranges) { return {ranges.front().low, ranges.back().high}; }
TemperatureRange rangeOf(const ConstantCp &c) { return {c.low, c.high}; }

} // namespace

const Nasa7Range &rangeAt(const std::vector<Nasa7Range> &ranges, double temperature) {
  for (const Nasa7Range &range : ranges)
    if (temperature <= range.high)
      return range;
  return ranges.back();
}

double heatCapacity(const Thermo &thermo, double temperature) {
  return std::visit([&](const auto &data) { return heatCapacityOf(data, temperature); }, thermo);
}

double enthalpy(const Thermo &thermo, double temperature) {
  return std::visit([&](const auto &data) { return enthalpyOf(data, temperature); }, thermo);
}

double entropy(const Thermo &thermo, double temperature) {
  return std::visit([&](const auto &data) { return entropyOf(data, temperature); }, thermo);
}

double gibbs(const Thermo &thermo, double temperature) {
  return enthalpy(thermo, temperature) - entropy(thermo, temperature);
}

TemperatureRange validRange(const Thermo &thermo) {
  return std::visit([](const auto &data) { return rangeOf(data); }, thermo);
}

TemperatureRange validRange(const Mechanism &mechanism) {
  TemperatureRange common = {0, std::numeric_limits<double>::infinity()};
  for (const Species &species : mechanism.species) {
    TemperatureRange own = validRange(species.thermo);
    common = {std::max(common.low, own.low), std::min(common.high, own.high)};
  }
  return common;
}

} // namespace heddle::chem
