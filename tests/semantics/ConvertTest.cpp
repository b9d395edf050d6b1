// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Exact.h"
#include "Random.h"
#include "semantics/Approx.h"

#include <gtest/gtest.h>

namespace heddle::semantics {
namespace {

constexpr float Inf = std::numeric_limits<float>::infinity();

/// An integer as an exact number.
template <class T> Exact exactOf(T a) {
  bool negative = a < 0;
  uint64_t magnitude = negative ? uint64_t(0) - uint64_t(a) : uint64_t(a);
  return Exact().addInteger(magnitude, 1, 0, negative);
}

template <class T, Rounding R> void checkFromInteger(T a) {
  ASSERT_EQ((convertFromInteger<double, R>(a)), exactOf(a).toDouble(R)) << a;
  ASSERT_EQ((convertFromInteger<float, R>(a)), exactOf(a).toFloat(R)) << a;
  ASSERT_EQ(toDouble(convertFromInteger<Half, R>(a)), exactOf(a).round(11, -14, 15, R)) << a;
  ASSERT_EQ(toDouble(convertFromInteger<BFloat16, R>(a)), exactOf(a).round(8, -126, 127, R)) << a;
}

template <Rounding R> void checkIntegersInMode() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 4000 && !testing::Test::HasFatalFailure(); ++i) {
    checkFromInteger<int64_t, R>(random.integer<int64_t>());
    checkFromInteger<uint64_t, R>(random.integer<uint64_t>());
    checkFromInteger<int32_t, R>(random.integer<int32_t>());
    checkFromInteger<uint32_t, R>(random.integer<uint32_t>());
  }
  for (uint64_t edge :
       {uint64_t(0), uint64_t(1), uint64_t(1) << 53, (uint64_t(1) << 53) + 1, (uint64_t(1) << 63) - 1,
        uint64_t(1) << 63, ~uint64_t(0), (uint64_t(1) << 24) + 1, (uint64_t(1) << 40) + (1 << 16)}) {
    checkFromInteger<uint64_t, R>(edge);
    checkFromInteger<int64_t, R>(int64_t(edge));
  }
}

TEST(Convert, IntegersToFloatingPointAreRoundedOnceInEveryMode) {
  checkIntegersInMode<Rounding::RN>();
  checkIntegersInMode<Rounding::RZ>();
  checkIntegersInMode<Rounding::RM>();
  checkIntegersInMode<Rounding::RP>();
}

/// The integral value by comparing with whole candidates: no libm rounding function.
double integralByDefinition(double a, Rounding mode) {
  if (std::fabs(a) >= 0x1p53)
    return a;
  double toward = double(int64_t(a)), away = toward + (a > toward ? 1 : a < toward ? -1 : 0);
  double lower = std::min(toward, away), upper = std::max(toward, away);
  switch (mode) {
  case Rounding::RZ: return toward;
  case Rounding::RM: return lower;
  case Rounding::RP: return upper;
  default:
    return a - lower < upper - a     ? lower
           : a - lower > upper - a   ? upper
           : int64_t(lower) % 2 == 0 ? lower
                                     : upper;
  }
}

template <class To, Rounding R> void checkToInteger(double a) {
  double low = double(std::numeric_limits<To>::min()), high = double(std::numeric_limits<To>::max());
  double whole = integralByDefinition(a, R);
  To wanted = whole <= low    ? std::numeric_limits<To>::min()
              : whole >= high ? std::numeric_limits<To>::max()
                              : To(whole);
  ASSERT_EQ((convertToInteger<To, R>(a)), wanted) << a;
  double narrowed = integralByDefinition(float(a), R);
  wanted = narrowed <= low    ? std::numeric_limits<To>::min()
           : narrowed >= high ? std::numeric_limits<To>::max()
                              : To(narrowed);
  ASSERT_EQ((convertToInteger<To, R>(float(a))), wanted) << float(a);
}

template <Rounding R> void checkToIntegersInMode() {
  Random random;
  SCOPED_TRACE(random.trace());
  auto all = [](double a) {
    checkToInteger<int8_t, R>(a), checkToInteger<uint8_t, R>(a), checkToInteger<int16_t, R>(a),
        checkToInteger<uint16_t, R>(a);
    checkToInteger<int32_t, R>(a), checkToInteger<uint32_t, R>(a), checkToInteger<int64_t, R>(a),
        checkToInteger<uint64_t, R>(a);
  };
  for (double edge : {0.0,    0.5,     1.5,     2.5,          0.49999999999999994, 127.5,        128.5,
                      255.5,  32767.5, 65535.5, 2147483647.5, 2147483648.0,        4294967295.5, 4294967296.0,
                      0x1p63, 0x1p64,  1e300,   5e-324,       8388609.0,           double(Inf)})
    all(edge), all(-edge);
  for (int i = 0; i < 4000 && !testing::Test::HasFatalFailure(); ++i)
    all(std::ldexp(random.unit() - 0.5, int(random.below(70))));
}

TEST(Convert, FloatingPointToIntegersRoundsThenClamps) {
  checkToIntegersInMode<Rounding::RN>();
  checkToIntegersInMode<Rounding::RZ>();
  checkToIntegersInMode<Rounding::RM>();
  checkToIntegersInMode<Rounding::RP>();
}

TEST(Convert, NaNBecomesZeroOrTheTopBitWhereASideIsWide) {
  const float nan32 = floatOf(0x7f800123);
  const double nan64 = doubleOf(0x7ff0000000000123u);
  constexpr Rounding RZ = Rounding::RZ; // all seen on sm_90
  EXPECT_EQ((convertToInteger<int32_t, RZ>(nan32)), 0);
  EXPECT_EQ((convertToInteger<uint16_t, RZ>(nan32)), 0);
  EXPECT_EQ((convertToInteger<int64_t, RZ>(nan32)), INT64_MIN);
  EXPECT_EQ((convertToInteger<uint64_t, RZ>(nan64)), uint64_t(1) << 63);
  EXPECT_EQ((convertToInteger<int32_t, RZ>(nan64)), INT32_MIN);
  EXPECT_EQ((convertToInteger<int16_t, RZ>(nan64)), INT16_MIN);
  EXPECT_EQ((convertToInteger<uint64_t, RZ>(Half{0x7e00})), uint64_t(1) << 63);
}

TEST(Convert, EveryHalfConvertsToIntegersAsItsValueDoes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half h{uint16_t(bits)};
    if (isNaN(h))
      continue;
    ASSERT_EQ((convertToInteger<int32_t, Rounding::RN>(h)),
              (convertToInteger<int32_t, Rounding::RN>(toDouble(h))))
        << bits;
    ASSERT_EQ((convertToInteger<uint16_t, Rounding::RP>(h)),
              (convertToInteger<uint16_t, Rounding::RP>(toDouble(h))))
        << bits;
    if (std::isfinite(toFloat(h)))
      ASSERT_EQ(toDouble(convertToIntegral<Rounding::RM>(h)), integralByDefinition(toDouble(h), Rounding::RM))
          << bits;
  }
}

TEST(Convert, IntegralFormsKeepTheSignOfZero) {
  EXPECT_EQ(bitsOfFloat(convertToIntegral<Rounding::RN>(-0.25f)), 0x80000000u);
  EXPECT_EQ(bitsOfFloat(convertToIntegral<Rounding::RP>(-0.25f)), 0x80000000u);
  EXPECT_EQ(convertToIntegral<Rounding::RM>(-0.25), -1.0);
  EXPECT_EQ(bitsOfFloat(convertToIntegral<Rounding::RP, true>(floatOf(1))),
            0u); // flushed before it is rounded up
  EXPECT_EQ(convertToIntegral<Rounding::RP>(floatOf(1)), 1.0f);
  EXPECT_EQ(bitsOfFloat(convertToIntegral<Rounding::RN>(floatOf(0x7f800123))), 0x7fffffffu);
}

template <Rounding R> void checkDoubleToFloat(double a) {
  ASSERT_EQ((convertFloat<float, R>(a)), Exact(a).toFloat(R)) << std::hexfloat << a;
}

TEST(Convert, DoubleToFloatIsRoundedOnceInEveryMode) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < 20000 && !HasFatalFailure(); ++i) {
    // Near floats, normal and not, and with bits far below the last place.
    double a = double(random.anyFloat()) * (1 + std::ldexp(random.unit() - 0.5, -int(random.below(50))));
    if (!std::isfinite(a))
      continue;
    checkDoubleToFloat<Rounding::RN>(a);
    checkDoubleToFloat<Rounding::RZ>(a);
    checkDoubleToFloat<Rounding::RM>(a);
    checkDoubleToFloat<Rounding::RP>(a);
  }
  EXPECT_EQ(bitsOfFloat(convertFloat<float>(doubleOf(0xfff8000000000456u))), 0x7fffffffu);
  EXPECT_EQ(bitsOfFloat(convertCarryingNaN<float>(doubleOf(0xfff4560000000000u))), 0xffe2b000u);
  EXPECT_EQ(convertCarryingNaN<Half>(doubleOf(0x7ff0000000000001u)).bits, 0x7e00);
  EXPECT_EQ(bitsOfDouble(convertFloat<double>(Half{0xfc01})), 0xfff8040000000000u);
  // Flushing sees the rounded value (sm_90).
  EXPECT_EQ(bitsOfFloat(convertFloat<float, Rounding::RN, true>(doubleOf(0x380fffffffffffffu))), 0x800000u);
  EXPECT_EQ(bitsOfFloat(convertFloat<float, Rounding::RN, true>(doubleOf(0x380fffffd0000000u))), 0u);
  EXPECT_EQ(bitsOfFloat(convertFloat<float, Rounding::RN, true>(doubleOf(0x380fffffe0000000u))), 0u);
  EXPECT_EQ(bitsOfFloat(convertFloat<float, Rounding::RN>(doubleOf(0x380fffffe0000000u))), 0x800000u);
  EXPECT_EQ((convertFloat<float, Rounding::RN, false, true>(1.5)), 1.0f);
}

TEST(Convert, WideningKeepsOrMakesCanonicalTheNaNsAsSeenOnTheDevice) {
  EXPECT_EQ(bitsOfDouble(convertFloat<double>(floatOf(0xffc00456))), 0xfff8008ac0000000u);
  EXPECT_EQ(bitsOfDouble(convertFloat<double>(floatOf(0x7f800123))), 0x7ff8002460000000u);
  EXPECT_EQ(bitsOfFloat(convertFloat<float>(Half{0xfe01})), 0x7fffffffu);
  EXPECT_EQ(bitsOfFloat(convertFloat<float>(BFloat16{0x7f81})), 0x7f810000u);
  EXPECT_EQ(convertFloat<BFloat16>(floatOf(0xffc12345)).bits, 0x7fff);
}

TEST(Convert, Tf32RoundsTiesAwayAndLeavesTheLowBitsZero) {
  EXPECT_EQ(convertToTf32(floatOf(0x3f801000)), 0x3f802000u);
  EXPECT_EQ(convertToTf32(floatOf(0xbf801000)), 0xbf802000u);
  EXPECT_EQ(convertToTf32(floatOf(0x3f800fff)), 0x3f800000u);
  EXPECT_EQ(convertToTf32<Rounding::RN>(floatOf(0x3f801000)), 0x3f800000u);
  EXPECT_EQ(convertToTf32(floatOf(0x7f7fffff)), 0x7f800000u); // seen on sm_90, like the NaNs
  EXPECT_EQ(convertToTf32(floatOf(0xffc00456)), 0xffc00000u);
  EXPECT_EQ(convertToTf32(floatOf(0x7fffffff)), 0x7fffe000u);
  EXPECT_EQ((convertToTf32<Rounding::RN, true>(-3.0f)), 0u);
}

TEST(Convert, PairsPutTheFirstOperandInTheUpperHalf) {
  EXPECT_EQ((convertPair<Half, Rounding::RN>(1.0f, -2.0f)), 0x3c00c000u);
  EXPECT_EQ((convertPair<Half, Rounding::RN, true>(1.0f, -2.0f)), 0x3c000000u);
  EXPECT_EQ((convertPair<BFloat16, Rounding::RZ>(1.0f, floatOf(0x3f80ffff))), 0x3f803f80u);
  EXPECT_EQ((convertPair<BFloat16, Rounding::RN>(1.0f, floatOf(0x3f80ffff))), 0x3f803f81u);
}

/// An 8-bit number by its definition: sign, exponent, fraction.
double f8ByDefinition(uint8_t bits, int exponentBits, int fractionBits) {
  int bias = (1 << (exponentBits - 1)) - 1, exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  int fraction = bits & ((1 << fractionBits) - 1);
  double magnitude = exponent ? std::ldexp((1 << fractionBits) + fraction, exponent - bias - fractionBits)
                              : std::ldexp(fraction, 1 - bias - fractionBits);
  return bits & 0x80 ? -magnitude : magnitude;
}

TEST(Convert, EveryEightBitNumberWidensToItsDefinitionAndComesBack) {
  for (int byte = 0; byte < 256; ++byte) {
    int magnitude = byte & 0x7f;
    if (magnitude != 0x7f) {
      EXPECT_EQ(widen<E4M3Layout>(uint32_t(byte)), f8ByDefinition(uint8_t(byte), 4, 3)) << byte;
      EXPECT_EQ(convertToF8<E4M3Layout>(widen<E4M3Layout>(uint32_t(byte))), byte);
    } else {
      EXPECT_TRUE(std::isnan(widen<E4M3Layout>(uint32_t(byte))));
    }
    if (magnitude < 0x7c) {
      EXPECT_EQ(widen<E5M2Layout>(uint32_t(byte)), f8ByDefinition(uint8_t(byte), 5, 2)) << byte;
      EXPECT_EQ(convertToF8<E5M2Layout>(widen<E5M2Layout>(uint32_t(byte))), byte);
    }
  }
  EXPECT_TRUE(std::isinf(widen<E5M2Layout>(0x7c)));
  EXPECT_TRUE(std::isnan(widen<E5M2Layout>(0x7d)));
  EXPECT_EQ(convertToF8<E4M3Layout>(1e9), 0x7e); // 448, the largest
  EXPECT_EQ(convertToF8<E4M3Layout>(-double(Inf)), 0xfe);
  EXPECT_EQ(convertToF8<E5M2Layout>(double(Inf)), 0x7b);
  EXPECT_EQ(convertToF8<E4M3Layout>(std::nan("")), 0x7f);
  EXPECT_EQ(convertToF8<E4M3Layout>(464.0), 0x7e); // the tie with what would come next
  EXPECT_EQ((convertToF8Pair<E4M3Layout>(1.0, -2.0)), 0x38c0);
  EXPECT_EQ((convertFromF8Pair<E4M3Layout>(0x38c0)), 0x3c00c000u);
}

// --- the approximations' special values, as in the tables of the ISA
// -------------------------------------------------------

TEST(Approx, SpecialValuesFollowTheTables) {
  const float nan = floatOf(0x7fffffff), sub = floatOf(1), minusSub = floatOf(0x80000001);
  auto is = [](float got, float wanted) { return bitsOfFloat(got) == bitsOfFloat(wanted); };
  EXPECT_TRUE(is(rcpApprox(-Inf), -0.0f) && is(rcpApprox(-0.0f), -Inf) && is(rcpApprox(0.0f), Inf) &&
              is(rcpApprox(nan), nan));
  EXPECT_TRUE(is(rcpApprox<true>(minusSub), -Inf) && is(rcpApprox<true>(0x1p127f), 0.0f));
  EXPECT_EQ(bitsOfFloat(rcpApprox(0x1p127f)), 0x400000u); // without .ftz a subnormal result is kept
  EXPECT_TRUE(is(sqrtApprox(-Inf), nan) && is(sqrtApprox(-0.0f), -0.0f) &&
              is(sqrtApprox<true>(minusSub), -0.0f));
  EXPECT_TRUE(is(rsqrtApprox(-0.0f), -Inf) && is(rsqrtApprox(Inf), 0.0f) && is(rsqrtApprox(-1.0f), nan));
  EXPECT_TRUE(is(rsqrtApprox<true>(minusSub), -Inf) && is(rsqrtApprox<true>(sub), Inf) &&
              is(rsqrtApprox(minusSub), nan));
  EXPECT_TRUE(is(sinApprox(-0.0f), -0.0f) && is(sinApprox(Inf), nan) && is(cosApprox(-0.0f), 1.0f) &&
              is(cosApprox(-Inf), nan));
  EXPECT_TRUE(is(lg2Approx(-0.0f), -Inf) && is(lg2Approx(-1.0f), nan) && is(lg2Approx(Inf), Inf));
  EXPECT_TRUE(is(lg2Approx<true>(minusSub), -Inf) && is(lg2Approx(sub), -149.0f));
  EXPECT_TRUE(is(ex2Approx(-Inf), 0.0f) && is(ex2Approx(Inf), Inf) && is(ex2Approx<true>(minusSub), 1.0f));
  EXPECT_TRUE(is(ex2Approx<true>(-140.0f), 0.0f) && is(ex2Approx(-140.0f), 0x1p-140f));
  EXPECT_TRUE(is(tanhApprox(-Inf), -1.0f) && is(tanhApprox(-0.0f), -0.0f) && is(tanhApprox(nan), nan));
  EXPECT_TRUE(is(divApprox(1.0f, 0x1.8p126f), 0.0f) && is(divApprox(-1.0f, 0x1.8p126f), -0.0f));
  EXPECT_TRUE(is(divApprox(Inf, 0x1.8p126f), nan) && is(divApprox(6.0f, 3.0f), 2.0f) &&
              is(divApprox(1.0f, Inf), 0.0f));
  EXPECT_EQ(ex2Approx(Half{0x4000}).bits, 0x4400);
  EXPECT_EQ(tanhApprox(BFloat16{0x7f80}).bits, 0x3f80);
}

TEST(Approx, DoubleFormsSeeAndMakeOnlyTheUpperWord) {
  EXPECT_EQ(bitsOfDouble(rcpApproxFtz(doubleOf(0x4008000012345678u))),
            bitsOfDouble(1.0 / 3.0) & 0xffffffff00000000u);
  EXPECT_EQ(rcpApproxFtz(doubleOf(1)), double(Inf));
  EXPECT_EQ(rcpApproxFtz(-double(Inf)), 0.0);
  EXPECT_EQ(rsqrtApproxFtz(4.0), 0.5);
  EXPECT_EQ(rsqrtApprox(0.25), 2.0);
}

} // namespace
} // namespace heddle::semantics
