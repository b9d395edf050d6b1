// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device math library against 113-bit references, each function over its range, compared with the bound that
// the CUDA programming guide states for it ("Mathematical Functions", tables of maximum ulp error). The
// guide's measure is the distance in units of the last place between the result and the correctly rounded
// one; so is ours.
#include "semantics/Math.h"

#include "Quad.h"
#include "Random.h"
#include "semantics/Format.h"
#include "semantics/Libdevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace heddle::semantics {
namespace {

using quad::Quad;

template <class T> uint64_t slotOf(T value) {
  uint64_t slot = 0;
  std::memcpy(&slot, &value, sizeof value);
  return slot;
}
template <class T> T valueOf(uint64_t slot) {
  T value;
  std::memcpy(&value, &slot, sizeof value);
  return value;
}

/// Calls a function of the table with plain values, as a kernel's PTX does.
template <class R, class... P> R call(const std::string &name, P... arguments) {
  const ExternFunction *function = findExtern("__nv_" + name);
  if (!function) {
    ADD_FAILURE() << name << " is not in the table";
    return R{};
  }
  uint64_t slots[] = {slotOf(arguments)...}, outs[sizeof...(P)] = {};
  return valueOf<R>(function->call(slots, outs));
}

/// Neighbouring numbers differ by one; -0 and +0 are the same number.
template <class T> double ulpsBetween(T a, T b) {
  if (a == b || (a != a && b != b))
    return 0;
  if (a != a || b != b)
    return 1e300;
  auto key = [](T x) { return x < 0 ? -int64_t(magnitudeBits(x)) : int64_t(magnitudeBits(x)); };
  return std::fabs(double(key(a) - key(b)));
}

constexpr Quad quadPi =
    Quad(0x1.921fb54442d18p1) + Quad(0x1.1a62633145c07p-53) - Quad(0x1.f1976b7ed8fbcp-109);

// References for what the C library lacks.
Quad sinPi(Quad a) { return quad::sin(quadPi * a); }
Quad cosPi(Quad a) { return quad::cos(quadPi * a); }
Quad erfcx(Quad a) { return quad::exp(a * a) * quad::erfc(a); }
Quad normCdf(Quad a) { return quad::erfc(-a / quad::sqrt(Quad(2))) / 2; }

/// The root of an increasing function by bisection: slow, plain, and independent of any derivative.
Quad bisect(const std::function<Quad(Quad)> &f, Quad low, Quad high) {
  for (int i = 0; i < 120; ++i) {
    Quad middle = (low + high) / 2;
    (f(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}
Quad erfInverse(Quad a) {
  return bisect([&](Quad y) { return quad::erf(y) - a; }, -7, 7);
}
Quad erfcInverse(Quad a) {
  return bisect([&](Quad y) { return a - quad::erfc(y); }, -7, 28);
}
Quad normCdfInverse(Quad a) {
  return bisect([&](Quad y) { return normCdf(y) - a; }, -39, 9);
}
Quad besselI(int order, Quad a) { // the defining series; every term is positive
  Quad term = order ? a / 2 : Quad(1), sum = term;
  for (int k = 1; k < 1500; ++k)
    sum += term *= a * a / 4 / (Quad(k) * Quad(k + order));
  return sum;
}

enum class Spread { Even, Logarithmic };

struct Row {
  const char *name;
  double floatBound, doubleBound; // the guide's
  double low, high; // the range swept; Logarithmic sweeps magnitudes of both signs where low is negative
  Spread spread;
  Quad (*reference)(Quad);
  int count = 3000;
};

constexpr double Big = 1e300;
const Row rows[] = {
    {"sin", 2, 2, -Big, Big, Spread::Logarithmic, quad::sin},
    {"cos", 2, 2, -Big, Big, Spread::Logarithmic, quad::cos},
    {"tan", 4, 2, -Big, Big, Spread::Logarithmic, quad::tan},
    {"sin", 2, 2, -10, 10, Spread::Even, quad::sin},
    {"cos", 2, 2, -10, 10, Spread::Even, quad::cos},
    {"tan", 4, 2, -10, 10, Spread::Even, quad::tan},
    {"asin", 2, 2, -1, 1, Spread::Even, quad::asin},
    {"acos", 2, 2, -1, 1, Spread::Even, quad::acos},
    {"atan", 2, 2, -Big, Big, Spread::Logarithmic, quad::atan},
    {"sinh", 3, 2, -88, 88, Spread::Even, quad::sinh},
    {"cosh", 2, 1, -88, 88, Spread::Even, quad::cosh},
    {"tanh", 2, 1, -5, 5, Spread::Even, quad::tanh},
    {"tanh", 2, 1, -10, 10, Spread::Logarithmic, quad::tanh},
    {"asinh", 3, 2, -1e30, 1e30, Spread::Logarithmic, quad::asinh},
    {"acosh", 4, 2, 1, 50, Spread::Even, quad::acosh},
    {"atanh", 3, 2, -1, 1, Spread::Even, quad::atanh},
    {"exp", 2, 1, -87, 88, Spread::Even, quad::exp},
    {"exp2", 2, 1, -126, 127, Spread::Even, quad::exp2},
    {"exp10", 2, 1, -37, 38, Spread::Even, quad::exp10},
    {"expm1", 1, 1, -5, 5, Spread::Logarithmic, quad::expm1},
    {"log", 1, 1, 1e-300, Big, Spread::Logarithmic, quad::log},
    {"log", 1, 1, 0.5, 2, Spread::Even, quad::log},
    {"log2", 1, 1, 0.5, 2, Spread::Even, quad::log2},
    {"log2", 1, 1, 1e-300, Big, Spread::Logarithmic, quad::log2},
    {"log10", 2, 1, 0.01, 100, Spread::Even, quad::log10, 20000},
    {"log1p", 1, 1, -0.9, 10, Spread::Even, quad::log1p},
    {"cbrt", 1, 1, -Big, Big, Spread::Logarithmic, quad::cbrt},
    {"rcbrt", 1, 1, -Big, Big, Spread::Logarithmic, [](Quad a) { return 1 / quad::cbrt(a); }},
    {"rsqrt", 2, 1, 1e-300, Big, Spread::Logarithmic, [](Quad a) { return 1 / quad::sqrt(a); }},
    {"sqrt", 0, 0, 1e-300, Big, Spread::Logarithmic, quad::sqrt},
    {"sinpi", 1, 2, -4, 4, Spread::Even, sinPi},
    {"cospi", 1, 2, -4, 4, Spread::Even, cosPi},
    {"erf", 2, 2, -3, 3, Spread::Even, quad::erf},
    {"erfc", 4, 5, -3, 9, Spread::Even, quad::erfc},
    {"erfc", 4, 5, 9, 26, Spread::Even, quad::erfc},
    {"erfcx", 4, 4, -9, 40, Spread::Even, erfcx},
    {"erfcx", 4, 4, 20, 100, Spread::Even, erfcx, 500},
    {"erfinv", 2, 5, 0, 1, Spread::Even, erfInverse, 250},
    {"erfcinv", 4, 6, 0, 2, Spread::Even, erfcInverse, 250},
    {"erfcinv", 4, 6, 1e-37, 0.1, Spread::Logarithmic, erfcInverse, 150},
    {"normcdf", 5, 5, -14, 9, Spread::Even, normCdf},
    {"normcdf", 5, 5, -37, -14, Spread::Even, normCdf, 500},
    {"normcdfinv", 5, 8, 0, 1, Spread::Even, normCdfInverse, 250},
    {"normcdfinv", 5, 8, 1e-37, 0.1, Spread::Logarithmic, normCdfInverse, 150},
    {"lgamma", 6, 4, 0.001, 100, Spread::Even, quad::lgamma},
    {"tgamma", 5, 10, 0.01, 33, Spread::Even, quad::tgamma},
    {"tgamma", 5, 10, -20, 0, Spread::Even, quad::tgamma},
    {"j0", 9, 7, -8, 8, Spread::Even, quad::j0, 800},
    {"j1", 9, 7, -8, 8, Spread::Even, quad::j1, 800},
    {"y0", 9, 7, 0.01, 8, Spread::Even, quad::y0, 800},
    {"y1", 9, 7, 0.01, 8, Spread::Even, quad::y1, 800},
    {"cyl_bessel_i0", 6, 6, -60, 60, Spread::Even, [](Quad a) { return besselI(0, a); }, 300},
    {"cyl_bessel_i1", 6, 6, -60, 60, Spread::Even, [](Quad a) { return besselI(1, a); }, 300},
};

double operandOf(const Row &row, Random &random) {
  if (row.spread == Spread::Even)
    return row.low + (row.high - row.low) * random.unit();
  double least = row.low > 0 ? row.low : row.high * 1e-30 < 1e-30 ? row.high * 1e-30 : 1e-30;
  double magnitude = std::exp(std::log(least) + (std::log(row.high) - std::log(least)) * random.unit());
  return row.low < 0 && random.below(2) ? -magnitude : magnitude;
}

class MathSweep : public testing::TestWithParam<Row> {};

TEST_P(MathSweep, StaysWithinTheGuidesBound) {
  const Row &row = GetParam();
  Random random;
  double worstFloat = 0, worstDouble = 0, atFloat = 0, atDouble = 0;
  for (int i = 0; i < row.count; ++i) {
    double a = operandOf(row, random);
    double ulps = ulpsBetween(call<double>(row.name, a), double(row.reference(a)));
    if (ulps > worstDouble)
      worstDouble = ulps, atDouble = a;
    float b = float(a);
    if (std::isinf(b) || b < row.low || b > row.high || b == 0)
      continue;
    ulps = ulpsBetween(call<float>(std::string(row.name) + "f", b), float(row.reference(Quad(b))));
    if (ulps > worstFloat)
      worstFloat = ulps, atFloat = b;
  }
  RecordProperty("double_ulps", std::to_string(worstDouble));
  RecordProperty("float_ulps", std::to_string(worstFloat));
  EXPECT_LE(worstDouble, row.doubleBound)
      << row.name << " at " << std::hexfloat << atDouble << " " << random.trace();
  // Rounded once from double, floats are next to the correctly rounded value or it.
  EXPECT_LE(worstFloat, std::min(row.floatBound, 1.0))
      << row.name << "f at " << std::hexfloat << atFloat << " " << random.trace();
}

INSTANTIATE_TEST_SUITE_P(All, MathSweep, testing::ValuesIn(rows), [](const auto &info) {
  return std::string(info.param.name) + "_" + std::to_string(info.index);
});

TEST(Math, TwoArgumentFunctionsStayWithinTheGuidesBound) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 3000; ++i) {
    double a = std::exp(40 * random.unit() - 20), b = 20 * random.unit() - 10, c = b * a;
    ASSERT_LE(ulpsBetween(call<double>("pow", a, b), double(quad::pow(a, b))), 1) << a << " " << b;
    ASSERT_LE(ulpsBetween(call<double>("atan2", b, a), double(quad::atan2(b, a))), 2) << b << " " << a;
    ASSERT_LE(ulpsBetween(call<double>("hypot", a, b), double(quad::sqrt(Quad(a) * a + Quad(b) * b))), 2);
    ASSERT_LE(ulpsBetween(call<double>("rhypot", a, b), double(1 / quad::sqrt(Quad(a) * a + Quad(b) * b))),
              1);
    Quad three = Quad(a) * a + Quad(b) * b + Quad(c) * c;
    ASSERT_LE(ulpsBetween(call<double>("norm3d", a, b, c), double(quad::sqrt(three))), 1);
    ASSERT_LE(ulpsBetween(call<double>("rnorm3d", a, b, c), double(1 / quad::sqrt(three))), 1);
    ASSERT_LE(ulpsBetween(call<double>("norm4d", a, b, c, 1.0), double(quad::sqrt(three + 1))), 1);
    ASSERT_LE(ulpsBetween(call<double>("rnorm4d", a, b, c, 1.0), double(1 / quad::sqrt(three + 1))), 1);
    float fa = float(a), fb = float(b);
    ASSERT_LE(ulpsBetween(call<float>("powf", fa, fb), float(quad::pow(fa, fb))), 1);
    ASSERT_LE(ulpsBetween(call<float>("atan2f", fb, fa), float(quad::atan2(fb, fa))), 1);
    ASSERT_LE(ulpsBetween(call<float>("hypotf", fa, fb), float(quad::sqrt(Quad(fa) * fa + Quad(fb) * fb))),
              1);
    ASSERT_LE(ulpsBetween(call<float>("powif", fa, 7), float(quad::pow(fa, 7))), 1);
  }
}

TEST(Math, BesselFunctionsOfHigherOrderAndLargeArgumentStayWithinTheGuidesAbsoluteError) {
  Random random;
  for (int i = 0; i < 60; ++i) {
    double a = 8 + 200 * random.unit();
    EXPECT_NEAR(call<double>("j0", a), double(quad::j0(a)), 5e-12);
    EXPECT_NEAR(call<double>("y1", a), double(quad::y1(a)), 5e-12);
    EXPECT_NEAR(call<double>("jn", 5, a), double(quad::jn(5, a)), 5e-12);
    EXPECT_NEAR(call<float>("jnf", 128, float(a)), double(quad::jn(128, float(a))), 2.2e-6);
    EXPECT_NEAR(call<double>("yn", 3, a), double(quad::yn(3, a)), 5e-12);
  }
}

// --- special values
// ------------------------------------------------------------------------------------------------------

constexpr double Inf = std::numeric_limits<double>::infinity();
bool isCanonical(double a) { return bitsOfDouble(a) == 0xfff8000000000000u; }

TEST(Math, NaNResultsAreTheHardwaresOnEveryHost) {
  for (const char *name : {"sin", "log", "sqrt", "acos", "erfinv", "y0", "normcdfinv", "sinpi", "rsqrt"}) {
    EXPECT_TRUE(isCanonical(
        call<double>(name, name == std::string("sin") || name == std::string("sinpi") ? Inf : -2.0)))
        << name;
    EXPECT_EQ(bitsOfFloat(call<float>(std::string(name) + "f",
                                      name[0] == 's' && name[1] == 'i' ? float(Inf) : -2.0f)),
              0x7fffffffu)
        << name;
  }
}

TEST(Math, SpecialValuesFollowTheMathApi) {
  EXPECT_EQ(call<double>("rcbrt", 0.0), Inf);
  EXPECT_EQ(call<double>("rcbrt", -0.0), -Inf);
  EXPECT_EQ(call<double>("rcbrt", -8.0), -0.5);
  EXPECT_EQ(call<double>("cbrt", -27.0), -3.0);
  EXPECT_EQ(call<double>("cbrt", 5e-324), double(quad::cbrt(Quad(5e-324))));
  EXPECT_EQ(call<double>("rsqrt", 0.0), Inf);
  EXPECT_EQ(call<double>("rsqrt", -0.0), -Inf);
  EXPECT_EQ(call<double>("rsqrt", Inf), 0.0);
  EXPECT_LE(ulpsBetween(call<double>("rsqrt", 5e-324), double(1 / quad::sqrt(Quad(5e-324)))), 1);
  EXPECT_EQ(call<double>("erfinv", 1.0), Inf);
  EXPECT_EQ(call<double>("erfinv", -1.0), -Inf);
  EXPECT_TRUE(std::signbit(call<double>("erfinv", -0.0)));
  EXPECT_EQ(call<double>("erfcinv", 0.0), Inf);
  EXPECT_EQ(call<double>("erfcinv", 2.0), -Inf);
  EXPECT_EQ(call<double>("erfcinv", 1.0), 0.0);
  EXPECT_EQ(call<double>("normcdfinv", 0.5), 0.0);
  EXPECT_EQ(call<double>("normcdfinv", 0.0), -Inf);
  EXPECT_EQ(call<double>("normcdf", -Inf), 0.0);
  EXPECT_EQ(call<double>("erfcx", Inf), 0.0);
  EXPECT_EQ(call<double>("erfcx", -Inf), Inf);
  EXPECT_EQ(call<double>("cyl_bessel_i0", 0.0), 1.0);
  EXPECT_TRUE(std::signbit(call<double>("cyl_bessel_i1", -1.0)));
  EXPECT_EQ(call<double>("exp10", 22.0), 1e22);
  EXPECT_EQ(call<float>("exp10f", -3.0f), 1e-3f);
  EXPECT_EQ(call<double>("sinpi", 3e15), 0.0);
  EXPECT_EQ(call<double>("cospi", 1e300), 1.0);
  EXPECT_EQ(call<double>("cospi", 2.5), 0.0);
  EXPECT_EQ(call<double>("sinpi", 2.5), 1.0);
  EXPECT_EQ(call<double>("sinpi", -1.5), 1.0);
  EXPECT_EQ(call<double>("hypot", Inf, std::nan("")), Inf);
  EXPECT_EQ(call<double>("norm3d", std::nan(""), 1.0, -Inf), Inf);
  EXPECT_EQ(call<int32_t>("ilogb", 0.0), INT32_MIN);
  EXPECT_EQ(call<int32_t>("ilogb", Inf), INT32_MAX);
  EXPECT_EQ(call<int32_t>("ilogbf", 1e-45f), -149);
  EXPECT_EQ(call<double>("pow", -8.0, 3.0), -512.0);
  EXPECT_EQ(bitsOfFloat(call<float>("fast_powf", -8.0f, 3.0f)), 0x7fffffffu);
  EXPECT_EQ(call<float>("fast_fdividef", 1.0f, 0x1.8p126f), 0.0f);
  EXPECT_EQ(bitsOfFloat(call<float>("fast_fdividef", float(Inf), 0x1.8p126f)), 0x7fffffffu);
}

TEST(Libdevice, PointersReceiveResultsAndArraysAreRead) {
  uint64_t outs[3] = {};
  uint64_t arguments[] = {slotOf(0.5), 0, 0};
  findExtern("__nv_sincos")->call(arguments, outs);
  EXPECT_EQ(valueOf<double>(outs[1]), std::sin(0.5));
  EXPECT_EQ(valueOf<double>(outs[2]), std::cos(0.5));

  uint64_t frexpArguments[] = {slotOf(-12.0f), 0};
  EXPECT_EQ(valueOf<float>(findExtern("__nv_frexpf")->call(frexpArguments, outs)), -0.75f);
  EXPECT_EQ(valueOf<int32_t>(outs[1]), 4);

  uint64_t modfArguments[] = {slotOf(-2.25), 0};
  EXPECT_EQ(valueOf<double>(findExtern("__nv_modf")->call(modfArguments, outs)), -0.25);
  EXPECT_EQ(valueOf<double>(outs[1]), -2.0);

  const float vector[] = {2, 3, 6};
  uint64_t normArguments[] = {3, slotOf(&vector[0])};
  EXPECT_EQ(valueOf<float>(findExtern("__nv_normf")->call(normArguments, outs)), 7.0f);

  const signed char text[] = "0x1234";
  uint64_t nanArguments[] = {slotOf(&text[0])};
  EXPECT_EQ(findExtern("__nv_nan")->call(nanArguments, outs), 0x7ff8000000001234u);
}

TEST(Libdevice, SignaturesComeFromTheFunctionsThemselves) {
  const ExternFunction *f = findExtern("__nv_remquof");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->result, ExternType::F32);
  ASSERT_EQ(f->parameters.size(), 3u);
  EXPECT_EQ(f->parameters[2], ExternType::OutI32);
  EXPECT_EQ(findExtern("__nv_float2half_rn")->result, ExternType::I16);
  EXPECT_EQ(findExtern("__nv_sincosf")->result, ExternType::Void);
  EXPECT_EQ(findExtern("__nv_no_such_function"), nullptr);
  EXPECT_EQ(findExtern(""), nullptr);
}

TEST(Libdevice, NamesAreUniqueAndPrefixed) {
  auto all = allExterns();
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(all[i].name.starts_with("__nv_"));
    if (i)
      EXPECT_LT(all[i - 1].name, all[i].name);
  }
}

TEST(Libdevice, IntegerRowsComputeWhatTheirNamesSay) {
  EXPECT_EQ(call<int32_t>("mulhi", INT32_MIN, INT32_MIN), 0x40000000);
  EXPECT_EQ(call<uint32_t>("byte_perm", 0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(call<uint32_t>("byte_perm", 0x33221180u, 0u, 0x8888u), 0x80808080u); // no sign mode here
  EXPECT_EQ(call<int32_t>("hadd", -3, 0), -2);
  EXPECT_EQ(call<int32_t>("rhadd", -3, 0), -1);
  EXPECT_EQ(call<uint32_t>("uhadd", ~0u, ~0u), ~0u);
  EXPECT_EQ(call<int32_t>("ffsll", int64_t(1) << 40), 41);
  EXPECT_EQ(call<int32_t>("clzll", int64_t(1)), 63);
  EXPECT_EQ(call<int32_t>("double2int_rn", 2.5), 2);
  EXPECT_EQ(call<int32_t>("float2int_ru", 2.5f), 3);
  EXPECT_EQ(call<uint64_t>("float2ull_rz", -1.0f), 0u);
  EXPECT_EQ(call<int64_t>("llround", -2.5), -3);
  EXPECT_EQ(call<int64_t>("llrint", -2.5), -2);
  EXPECT_EQ(call<float>("int2float_rz", 16777217 + 2), 16777218.0f);
  EXPECT_EQ(call<double>("hiloint2double", 0x40080000, 0), 3.0);
  EXPECT_EQ(call<uint32_t>("vcmpgts4", 0x7f80ff00u, 0u), 0xff000000u);
  EXPECT_EQ(call<uint32_t>("vsetltu2", 0x0001ffffu, 0x00020000u), 0x00010000u);
  EXPECT_EQ(call<int32_t>("isnanf", std::nanf("")), 1);
  EXPECT_EQ(call<int32_t>("finitef", float(Inf)), 0);
  EXPECT_EQ(call<int32_t>("signbitd", -0.0), 1);
}

} // namespace
} // namespace heddle::semantics
