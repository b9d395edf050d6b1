// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/MathHeader.h"

#include "kernels/FloatText.h"
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

/// Lines that evaluate a polynomial by Horner's rule; `step` has places for the coefficient.
std::string horner(const std::vector<double> &coefficients, const char *first, const char *step) {
  std::string lines = fmt::format(fmt::runtime(first), literal(coefficients.back()));
  for (auto each = coefficients.rbegin() + 1; each != coefficients.rend(); ++each)
    lines += fmt::format(fmt::runtime(step), literal(*each));
  return lines;
}

std::string onDevice(const std::vector<double> &coefficients, char variable) {
  return horner(coefficients, "  double p = {};\n",
                fmt::format("  p = fma(p, {}, {{}});\n", variable).c_str());
}

/// sum_i c_i x^i with short chains: pairs c_0 + c_1 x, then pairs of pairs by x2 = x^2 and x4 = x^4. Horner's
/// rule would need fewer multiplications, but each of them waits for the one before.
std::string byPairs(const std::vector<double> &coefficients, const std::string &x) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < coefficients.size(); i += 2)
    pairs.push_back(i + 1 < coefficients.size() ? fmt::format("({} * {} + {})", literal(coefficients[i + 1]),
                                                              x, literal(coefficients[i]))
                                                : literal(coefficients[i]));
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

constexpr std::string_view vectorsText = R"text(#include <stdint.h>
#include <string.h>
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/// As many as the machine's registers hold, where a file does not ask for more.
#ifndef HDL_LANES
#if defined(__AVX512F__)
#define HDL_LANES $most$
#elif defined(__AVX__)
#define HDL_LANES $half$
#else
#define HDL_LANES $quarter$
#endif
#endif

typedef $real$ hdl_vec __attribute__((vector_size(HDL_LANES * $bytes$)));
typedef int$bits$_t hdl_ints __attribute__((vector_size(HDL_LANES * $bytes$)));

#define HDL_INLINE static inline __attribute__((always_inline, unused))

/// Before a loop of few rounds: unroll all of it.
#if defined(__clang__)
#define HDL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define HDL_UNROLL _Pragma("GCC unroll 64")
#endif

HDL_INLINE hdl_vec hdl_all($real$ x) { return x - (hdl_vec){}; }

HDL_INLINE hdl_vec hdl_load(const $real$ *from) {
  hdl_vec v;
  memcpy(&v, from, sizeof v);
  return v;
}

HDL_INLINE void hdl_store($real$ *to, hdl_vec v) { memcpy(to, &v, sizeof v); }

HDL_INLINE hdl_vec hdl_max(hdl_vec a, hdl_vec b) { return a > b ? a : b; }
)text";

constexpr std::string_view text =
    R"text(// Elementary functions for numbers of known range. Generated by Heddle.
//
$accuracy$//
// No special cases: zeros, infinities and NaNs give anything. Do not compile with -ffast-math or the like,
// which would take the roundings away that hdl_exp2 and hdl_log2 are made of.
#ifndef HEDDLE_MATH_H
#define HEDDLE_MATH_H

#if defined(__CUDACC__) || defined(__CUDA__) // ---- device, one number at a time

/// 1/x: the unit's approximation, 20 bits or so, and one step of $rcpOrder$ order.
__device__ __forceinline__ double hdl_rcp(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
$rcpDevice$  return fma(e, r, r);
}

/// 2^y. Adding 1.5 * 2^52 rounds y to a whole number n, which then stands in the low bits.
__device__ __forceinline__ double hdl_exp2(double y) {
  const double magic = 6755399441055744.0;
  const double shifted = y + magic;
  const double f = y - (shifted - magic); // -1/2 .. 1/2
$exp2Device$  return __hiloint2double(__double2hiint(p) + (__double2loint(shifted) << 20), __double2loint(p));
}

/// log2 x = e + log2 m, with m between sqrt(1/2) and sqrt(2).
__device__ __forceinline__ double hdl_log2(double x) {
  const int high = __double2hiint(x);
  const int e = (high - 0x3fe6a09e) >> 20;
  const double m = __hiloint2double(high - (e << 20), __double2loint(x));
  const double s = (m - 1.0) * hdl_rcp(m + 1.0), z = s * s;
$log2Device$  return fma(s, p, (double)e);
}

#else // ---- host, HDL_LANES numbers at a time

$vectors$
#if defined(__aarch64__) && HDL_LANES == 2
/// 1/x: eight bits from a table, twice as many with every step. A division takes several times as long.
HDL_INLINE hdl_vec hdl_rcp(hdl_vec x) {
  hdl_vec r = vrecpeq_f64(x);
$rcpHost$  return r + r * (1.0 - x * r);
}
#else
HDL_INLINE hdl_vec hdl_rcp(hdl_vec x) { return 1.0 / x; }
#endif

/// 2^y. Adding 1.5 * 2^52 rounds y to a whole number n, which then stands in the low bits.
HDL_INLINE hdl_vec hdl_exp2(hdl_vec y) {
  const double magic = 6755399441055744.0;
  const hdl_vec shifted = y + magic;
  const hdl_vec f = y - (shifted - magic); // -1/2 .. 1/2
  const hdl_vec $exp2Powers$;
  const hdl_vec p = $exp2Host$ * f + 1.0;
  return (hdl_vec)((hdl_ints)p + ((hdl_ints)shifted << 52));
}

/// log2 x = e + log2 m, with m between sqrt(1/2) and sqrt(2).
HDL_INLINE hdl_vec hdl_log2(hdl_vec x) {
  const hdl_ints bits = (hdl_ints)x;
  const hdl_ints e = (bits - 0x3fe6a09e00000000) >> 52;
  const hdl_vec m = (hdl_vec)(bits - (e << 52));
  const hdl_vec s = (m - 1.0) * hdl_rcp(m + 1.0), z = s * s;
  const hdl_vec $log2Powers$;
  const hdl_vec p = $log2Host$;
  // e becomes a double the way hdl_exp2 rounds, backwards.
  return s * p + ((hdl_vec)(e + 0x4338000000000000) - 6755399441055744.0);
}

#endif
#endif
)text";

constexpr std::string_view floatText =
    R"text(// Elementary functions in single precision, for numbers of known range. Generated by Heddle.
//
//     hdl_exp2(y)   any y; ends at 2^-126 and 2^127   relative error at most 2e-7 (plus that of y itself)
//     hdl_log2(x)   x positive and normal             absolute error at most 2e-7, or half a unit of the result
//     hdl_rcp(x)    x and 1/x normal                  relative error at most 1.2e-7
//
// No special cases: zeros, infinities and NaNs give anything. Do not compile with -ffast-math or the like.
#ifndef HEDDLE_MATH_H
#define HEDDLE_MATH_H

#if defined(__CUDACC__) || defined(__CUDA__) // ---- device: the units' own functions

__device__ __forceinline__ float hdl_rcp(float x) { return __frcp_rn(x); }

__device__ __forceinline__ float hdl_exp2(float y) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(fminf(fmaxf(y, -126.0f), 127.0f)));
  return r;
}

__device__ __forceinline__ float hdl_log2(float x) {
  float r;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

#else // ---- host, HDL_LANES numbers at a time

$vectors$HDL_INLINE hdl_vec hdl_min(hdl_vec a, hdl_vec b) { return a < b ? a : b; }

#if defined(__aarch64__) && HDL_LANES == 4
/// 1/x: eight bits from a table, twice as many with every step.
HDL_INLINE hdl_vec hdl_rcp(hdl_vec x) {
  hdl_vec r = vrecpeq_f32(x);
  r *= vrecpsq_f32(x, r);
  return r + r * (1.0f - x * r);
}
#else
HDL_INLINE hdl_vec hdl_rcp(hdl_vec x) { return 1.0f / x; }
#endif

/// 2^y. Adding 1.5 * 2^23 rounds y to a whole number n, which then stands in the low bits.
HDL_INLINE hdl_vec hdl_exp2(hdl_vec given) {
  const float magic = 12582912.0f;
  const hdl_vec y = hdl_min(hdl_max(given, hdl_all(-126.0f)), hdl_all(127.0f));
  const hdl_vec shifted = y + magic;
  const hdl_vec f = y - (shifted - magic); // -1/2 .. 1/2
  const hdl_vec f2 = f * f;
  const hdl_vec p = $exp2$ * f + 1.0f;
  return (hdl_vec)((hdl_ints)p + ((hdl_ints)shifted << 23));
}

/// log2 x = e + log2 m, with m between sqrt(1/2) and sqrt(2).
HDL_INLINE hdl_vec hdl_log2(hdl_vec x) {
  const hdl_ints bits = (hdl_ints)x;
  const hdl_ints e = (bits - 0x3f3504f3) >> 23;
  const hdl_vec m = (hdl_vec)(bits - (e << 23));
  const hdl_vec s = (m - 1.0f) * hdl_rcp(m + 1.0f), z = s * s;
  const hdl_vec z2 = z * z;
  const hdl_vec p = $log2$;
  // e becomes a float the way hdl_exp2 rounds, backwards.
  return s * p + ((hdl_vec)(e + 0x4b400000) - 12582912.0f);
}

#endif
#endif
)text";

constexpr std::string_view fullAccuracy =
    R"(//     hdl_exp2(y)   -1022 <= y < 1023         relative error at most 4e-16 (5e-16 without fused multiply-add)
//     hdl_log2(x)   x positive and normal     4e-16
//     hdl_rcp(x)    x and 1/x normal          2.3e-16
)";

constexpr std::string_view mixedAccuracy =
    R"(//     hdl_exp2(y)   -1022 <= y < 1023         relative error at most 2.0e-9
//     hdl_log2(x)   x positive and normal     absolute error at most 2e-10
//     hdl_rcp(x)    x and 1/x normal          relative error at most 3e-10
//
// For mixed precision: with fewer terms and steps than doubles could hold.
)";

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

/// Vectors of the host for numbers of so many bytes.
std::string vectorsOf(const char *real, unsigned bytes) {
  const auto lanes = [&](unsigned registerBytes) { return std::to_string(registerBytes / bytes); };
  return fillIn(vectorsText, {{"real", real},
                              {"bits", std::to_string(8 * bytes)},
                              {"bytes", std::to_string(bytes)},
                              {"most", lanes(64)},
                              {"half", lanes(32)},
                              {"quarter", lanes(16)}});
}

} // namespace

SourceFile mathHeader(Precision precision) {
  if (precision == Precision::Float)
    return {"heddle_math.h",
            fillIn(floatText, {{"vectors", vectorsOf("float", 4)},
                               {"exp2", inFloats(byPairs(withoutFirst(mixedExp2Coefficients), "f"))},
                               {"log2", inFloats(byPairs(mixedLog2Coefficients, "z"))}})};
  const bool isMixed = precision == Precision::Mixed;
  const std::vector<double> &exp2 = isMixed ? mixedExp2Coefficients : exp2Coefficients,
                            &log2 = isMixed ? mixedLog2Coefficients : log2Coefficients;
  const std::string step = "  r *= vrecpsq_f64(x, r);\n", residual = "  double e = fma(-x, r, 1.0);\n";
  return {"heddle_math.h",
          fillIn(text, {{"vectors", vectorsOf("double", 8)},
                        {"accuracy", std::string(isMixed ? mixedAccuracy : fullAccuracy)},
                        {"rcpOrder", isMixed ? "second" : "third"},
                        {"rcpDevice", isMixed ? residual : residual + "  e = fma(e, e, e);\n"},
                        {"rcpHost", isMixed ? step : step + step},
                        {"exp2Device", onDevice(exp2, 'f')},
                        {"log2Device", onDevice(log2, 'z')},
                        {"exp2Powers", powersFor(exp2.size() - 1, "f")},
                        {"exp2Host", byPairs(withoutFirst(exp2), "f")},
                        {"log2Powers", powersFor(log2.size(), "z")},
                        {"log2Host", byPairs(log2, "z")}})};
}

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
