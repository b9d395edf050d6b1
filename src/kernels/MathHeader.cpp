// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/MathHeader.h"

#include "kernels/Real.h"
#include "kernels/Template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::kernels {
namespace {

/// 2^f on [-1/2, 1/2]: the polynomial of degree 10 whose largest relative error is least (Remez' exchange in
/// 50 digits), 2.1e-16. Degree 11 would have 3e-18, which after rounding saves half of the error.
const std::vector<double> exp2Coefficients = {1.0,
                                              0.6931471805599497,
                                              0.24022650695908768,
                                              0.05550410866445883,
                                              0.009618129108034605,
                                              0.0013333558228561908,
                                              0.0001540352996111806,
                                              1.5252658116326994e-05,
                                              1.3215662840181317e-06,
                                              1.0208537945413125e-07,
                                              7.037278165331615e-09};

/// log2(m) = s p(s^2) with s = (m - 1)/(m + 1), m from sqrt(1/2) to sqrt(2): 1.1e-18, by the same method.
const std::vector<double> log2Coefficients = {2.8853900817779268,  0.9617966939259898,  0.5770780163454703,
                                              0.41219858585108754, 0.32059853392437593, 0.2623344018444065,
                                              0.22091186447578762, 0.2136708022529045};

/// The same for mixed precision: 2.0e-9 and, of log2 itself, 1.7e-10.
const std::vector<double> mixedExp2Coefficients = {1.0,
                                                   0.6931472028545868,
                                                   0.24022647915706913,
                                                   0.05550332471713626,
                                                   0.009618437080676268,
                                                   0.0013398874371513183,
                                                   0.00015353440229488112};
const std::vector<double> mixedLog2Coefficients = {2.885390072752274, 0.9618007591857198, 0.5765845432502785,
                                                   0.43425590505898837};

/// The coefficients that Horner's rule adds, after the last one that it begins with.
std::vector<Values> hornerSteps(const std::vector<double> &coefficients) {
  std::vector<Values> steps;
  for (auto each = coefficients.rbegin() + 1; each != coefficients.rend(); ++each)
    steps.push_back({{"c", literal(*each)}});
  return steps;
}

/// sum_i c_i x^i with short chains: pairs c_0 + c_1 x, then pairs of pairs by x2 = x^2 and x4 = x^4. Horner's
/// rule would need fewer multiplications, but each of them waits for the one before.
std::string byPairs(const std::vector<double> &coefficients, const std::string &x, const Real &real) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < coefficients.size(); i += 2)
    pairs.push_back(i + 1 < coefficients.size()
                        ? fmt::format("({} * {} + {})", real.literal(coefficients[i + 1]), x,
                                      real.literal(coefficients[i]))
                        : real.literal(coefficients[i]));
  const auto nested = [&](size_t begin, size_t end) {
    std::string text = pairs[end - 1];
    for (size_t i = end - 1; i-- > begin;)
      text = fmt::format("({} * {}2\n       + {})", text, x, pairs[i]);
    return text;
  };
  return pairs.size() < 4 ? nested(0, pairs.size())
                          : fmt::format("({} * {}4\n       + {})", nested(2, pairs.size()), x, nested(0, 2));
}

/// All but c_0.
std::vector<double> withoutFirst(const std::vector<double> &coefficients) {
  return {coefficients.begin() + 1, coefficients.end()};
}

/// The powers of x that byPairs wants.
std::string powersFor(size_t coefficients, const std::string &x) {
  const std::string square = fmt::format("{0}2 = {0} * {0}", x);
  return coefficients > 6 ? square + fmt::format(", {0}4 = {0}2 * {0}2", x) : square;
}

double byHorner(const std::vector<double> &coefficients, double x) {
  double p = coefficients.back();
  for (auto each = coefficients.rbegin() + 1; each != coefficients.rend(); ++each)
    p = std::fma(p, x, *each);
  return p;
}

} // namespace

SourceFile mathHeader(Precision precision) {
  if (precision == Precision::Float) {
    const Real &real = realOf(precision);
    return {"heddle_math.h", fillTemplate("heddle_math_float.h.in",
                                          {{"exp2", byPairs(withoutFirst(mixedExp2Coefficients), "f", real)},
                                           {"log2", byPairs(mixedLog2Coefficients, "z", real)}})};
  }
  const bool isMixed = precision == Precision::Mixed;
  const Real &real = realOf(precision);
  const std::vector<double> &exp2 = isMixed ? mixedExp2Coefficients : exp2Coefficients,
                            &log2 = isMixed ? mixedLog2Coefficients : log2Coefficients;
  return {"heddle_math.h",
          fillTemplate("heddle_math_double.h.in", {{"isMixed", isMixed},
                                                   {"exp2Last", literal(exp2.back())},
                                                   {"exp2Steps", hornerSteps(exp2)},
                                                   {"log2Last", literal(log2.back())},
                                                   {"log2Steps", hornerSteps(log2)},
                                                   {"exp2Powers", powersFor(exp2.size() - 1, "f")},
                                                   {"exp2Host", byPairs(withoutFirst(exp2), "f", real)},
                                                   {"log2Powers", powersFor(log2.size(), "z")},
                                                   {"log2Host", byPairs(log2, "z", real)}})};
}

SourceFile hostHeader() { return {"heddle_host.h", std::string(templateText("heddle_host.h"))}; }

double mixedExp2(double y) {
  const double n = std::nearbyint(y);
  return std::ldexp(byHorner(mixedExp2Coefficients, y - n), int(n));
}

double mixedLog2(double x) {
  int e = 0;
  double m = std::frexp(x, &e); // 1/2 .. 1
  if (m < std::sqrt(0.5)) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1);
  return std::fma(s, byHorner(mixedLog2Coefficients, s * s), e);
}

} // namespace heddle::kernels
