// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Exact.h"
#include "Random.h"
#include "semantics/Approx.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::semantics {
namespace {

constexpr int Sweep = 30000;
constexpr float Inf = std::numeric_limits<float>::infinity();
const float NaN32 = floatOf(0x7fffffff);

template <Rounding R> struct Mode {
  static constexpr Rounding value = R;
};
template <class M> class Rounded : public testing::Test {};
using AllModes =
    testing::Types<Mode<Rounding::RN>, Mode<Rounding::RZ>, Mode<Rounding::RM>, Mode<Rounding::RP>>;
TYPED_TEST_SUITE(Rounded, AllModes);

std::vector<float> edges32() {
  std::vector<float> all;
  for (uint32_t bits : {0u, 1u, 0x7fffffu, 0x800000u, 0x800001u, 0xffffffu, 0x33800000u, 0x3f000000u,
                        0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x40000000u, 0x4b800001u, 0x5f000000u,
                        0x7f000000u, 0x7f7fffffu, 0x7f7ffffeu})
    all.push_back(floatOf(bits)), all.push_back(floatOf(bits | 0x80000000u));
  return all;
}
std::vector<double> edges64() {
  std::vector<double> all;
  for (uint64_t bits :
       {0ul, 1ul, 0xffffffffffffful, 0x10000000000000ul, 0x10000000000001ul, 0x3ca0000000000000ul,
        0x3fe0000000000000ul, 0x3fefffffffffffful, 0x3ff0000000000000ul, 0x3ff0000000000001ul,
        0x4340000000000001ul, 0x7fe0000000000000ul, 0x7feffffffffffffful, 0x7feffffffffffffeul})
    all.push_back(doubleOf(bits)), all.push_back(doubleOf(bits | 0x8000000000000000u));
  return all;
}

template <class F> void forTriples32(F check) {
  auto edges = edges32();
  for (float a : edges)
    for (float b : edges)
      for (float c : edges)
        check(a, b, c);
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < Sweep; ++i) {
    float a = random.anyFloat(), b = random.anyFloat(), c = random.anyFloat();
    if (i % 3 == 0)
      c = -(a * b); // where almost everything cancels
    if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c))
      check(a, b, c);
    if (testing::Test::HasFatalFailure())
      return;
  }
}
template <class F> void forTriples64(F check) {
  auto edges = edges64();
  for (double a : edges)
    for (double b : edges)
      for (double c : {edges[0], edges[1], edges[2], edges[5], edges[16], edges[26], edges[27]})
        check(a, b, c);
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < Sweep / 3; ++i) {
    double a = random.anyDouble(), b = random.anyDouble(), c = random.anyDouble();
    if (i % 3 == 0)
      c = -(a * b);
    if (std::isfinite(a) && std::isfinite(b) && std::isfinite(c))
      check(a, b, c);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

/// Equal as numbers, and as zeros of a sign. An exact zero's sign is checked elsewhere.
template <class T> void expectNumber(T got, T wanted, T a, T b, T c) {
  ASSERT_TRUE(got == wanted) << std::hexfloat << a << " " << b << " " << c << ": " << got << ", not "
                             << wanted;
}

TYPED_TEST(Rounded, F32SumsProductsAndFmaAreRoundedOnce) {
  constexpr Rounding R = TypeParam::value;
  forTriples32([](float a, float b, float c) {
    expectNumber(add<R>(a, b), Exact(a).addProduct(b, 1).toFloat(R), a, b, c);
    expectNumber(sub<R>(a, b), Exact(a).addProduct(-b, 1).toFloat(R), a, b, c);
    expectNumber(mul<R>(a, b), Exact().addProduct(a, b).toFloat(R), a, b, c);
    expectNumber(fma<R>(a, b, c), Exact(c).addProduct(a, b).toFloat(R), a, b, c);
  });
}

TYPED_TEST(Rounded, F64SumsProductsAndFmaAreRoundedOnce) {
  constexpr Rounding R = TypeParam::value;
  forTriples64([](double a, double b, double c) {
    expectNumber(add<R>(a, b), Exact(a).addProduct(b, 1).toDouble(R), a, b, c);
    expectNumber(sub<R>(a, b), Exact(a).addProduct(-b, 1).toDouble(R), a, b, c);
    expectNumber(mul<R>(a, b), Exact().addProduct(a, b).toDouble(R), a, b, c);
    expectNumber(fma<R>(a, b, c), Exact(c).addProduct(a, b).toDouble(R), a, b, c);
  });
}

/// The neighbours of a number in T, zero and infinity included.
template <class T> T below(T a) { return std::nextafter(a, -std::numeric_limits<T>::infinity()); }
template <class T> T above(T a) { return std::nextafter(a, std::numeric_limits<T>::infinity()); }

/// Whether q is a/b rounded, determined by exact products: sign(a - q b) * sign(b) says on which side the
/// quotient lies.
template <class T> int sideOfQuotient(T a, T b, T q) {
  if (std::isinf(q))
    return q > 0 ? -1 : 1;
  int side = Exact(a).addProduct(-double(q), b).sign();
  return b < 0 ? -side : side;
}
template <class T> int sideOfRoot(T a, T r) {
  return std::isinf(r) ? -1 : r < 0 ? 1 : Exact(a).addProduct(-double(r), r).sign();
}
/// side(x): the sign of (exact - x), for any x of T.
template <class T, class Side> bool isRoundingOf(T got, Rounding mode, Side side) {
  int here = side(got);
  if (here == 0)
    return true;
  T other = here > 0 ? above(got) : below(got);
  if (side(other) == here)
    return false; // not even a neighbour
  switch (mode) {
  case Rounding::RM: return here > 0;
  case Rounding::RP: return here < 0;
  case Rounding::RZ: return got == 0 || (got > 0) == (here > 0);
  default: return true; // nearest is checked against the host's own division and root
  }
}

TYPED_TEST(Rounded, QuotientsAndRootsLieOnTheRightSide) {
  constexpr Rounding R = TypeParam::value;
  forTriples32([](float a, float b, float) {
    if (b != 0) {
      ASSERT_TRUE(isRoundingOf(div<R>(a, b), R, [&](float q) { return sideOfQuotient(a, b, q); }))
          << std::hexfloat << a << " / " << b << " = " << div<R>(a, b);
    }
    if (a >= 0) {
      ASSERT_TRUE(isRoundingOf(heddle::semantics::sqrt<R>(a), R, [&](float r) { return sideOfRoot(a, r); }))
          << std::hexfloat << a;
    }
  });
  forTriples64([](double a, double b, double) {
    if (b != 0) {
      ASSERT_TRUE(isRoundingOf(div<R>(a, b), R, [&](double q) { return sideOfQuotient(a, b, q); }))
          << std::hexfloat << a << " / " << b << " = " << div<R>(a, b);
    }
    if (a >= 0) {
      ASSERT_TRUE(isRoundingOf(heddle::semantics::sqrt<R>(a), R, [&](double r) { return sideOfRoot(a, r); }))
          << std::hexfloat << a;
    }
  });
}

TEST(Float, SoftDoubleToNearestAgreesWithTheHost) {
  forTriples64([](double a, double b, double c) {
    expectNumber(softFma(a, b, c, Rounding::RN), std::fma(a, b, c), a, b, c);
    if (b != 0)
      expectNumber(softDiv(a, b, Rounding::RN), a / b, a, b, c);
    if (a >= 0)
      expectNumber(softSqrt(a, Rounding::RN), std::sqrt(a), a, b, c);
  });
}

TEST(Float, PlainFmaAgreesWithTheExactOneWhereTheHostHasNone) {
  forTriples32([](float a, float b, float c) {
    expectNumber(detail::plainFma(a, b, c), Exact(c).addProduct(a, b).toFloat(Rounding::RN), a, b, c);
  });
  EXPECT_TRUE(std::isnan(detail::plainFma(Inf, 0.0f, 1.0f)));
  EXPECT_EQ(detail::plainFma(Inf, 2.0f, 1.0f), Inf);
}

TYPED_TEST(Rounded, AnExactZeroSumIsNegativeOnlyDownward) {
  constexpr Rounding R = TypeParam::value;
  const bool down = R == Rounding::RM;
  EXPECT_EQ(std::signbit(add<R>(1.5f, -1.5f)), down);
  EXPECT_EQ(std::signbit(add<R>(1.5, -1.5)), down);
  EXPECT_EQ(std::signbit(fma<R>(2.0f, 3.0f, -6.0f)), down);
  EXPECT_EQ(std::signbit(fma<R>(2.0, 3.0, -6.0)), down);
  EXPECT_EQ(std::signbit(add<R>(0.0f, -0.0f)), down);
  EXPECT_FALSE(std::signbit(add<R>(0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(add<R>(-0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(mul<R>(-0.0f, 3.0f)));
  EXPECT_TRUE(std::signbit(mul<R>(-0.0, 3.0)));
  EXPECT_TRUE(std::signbit(fma<R>(-1.0, 0.0, -0.0)));
  EXPECT_EQ(bitsOfDouble(add<R>(Half{0x3c00}, Half{0xbc00}).bits ? -0.0 : 0.0),
            bitsOfDouble(down ? -0.0 : 0.0));
}

TYPED_TEST(Rounded, InvalidOperationsGiveTheCanonicalNaN) {
  constexpr Rounding R = TypeParam::value;
  const double inf = Inf;
  EXPECT_EQ(bitsOfFloat(add<R>(Inf, -Inf)), 0x7fffffffu);
  EXPECT_EQ(bitsOfFloat(mul<R>(Inf, 0.0f)), 0x7fffffffu);
  EXPECT_EQ(bitsOfFloat(fma<R>(1.0f, floatOf(0xffc12345), 1.0f)), 0x7fffffffu);
  EXPECT_EQ(bitsOfFloat(div<R>(0.0f, 0.0f)), 0x7fffffffu);
  EXPECT_EQ(bitsOfFloat(heddle::semantics::sqrt<R>(-1.0f)), 0x7fffffffu);
  EXPECT_EQ(bitsOfDouble(add<R>(inf, -inf)), 0xfff8000000000000u);
  EXPECT_EQ(bitsOfDouble(div<R>(0.0, 0.0)), 0xfff8000000000000u);
  EXPECT_EQ(bitsOfDouble(heddle::semantics::sqrt<R>(-1.0)), 0xfff8000000000000u);
  // Seen on sm_90: a NaN operand comes through quiet, the second before the first, the addend before the
  // first.
  const double first = doubleOf(0xfff8000000000456u), second = doubleOf(0x7ff0000000000123u);
  EXPECT_EQ(bitsOfDouble(add<R>(first, second)), 0x7ff8000000000123u);
  EXPECT_EQ(bitsOfDouble(mul<R>(first, second)), 0x7ff8000000000123u);
  EXPECT_EQ(bitsOfDouble(fma<R>(first, 1.0, second)), 0x7ff8000000000123u);
  EXPECT_EQ(bitsOfDouble(fma<R>(first, second, 1.0)), 0x7ff8000000000123u);
  EXPECT_EQ(bitsOfDouble(div<R>(first, second)), 0xfff8000000000456u);
  EXPECT_EQ(bitsOfDouble(sub<R>(1.0, first)), 0xfff8000000000456u);
}

TYPED_TEST(Rounded, InfinitiesAndOverflowFollowTheMode) {
  constexpr Rounding R = TypeParam::value;
  const float big = std::numeric_limits<float>::max();
  const bool up = R == Rounding::RN || R == Rounding::RP, down = R == Rounding::RN || R == Rounding::RM;
  EXPECT_EQ(mul<R>(big, 2.0f), up ? Inf : big);
  EXPECT_EQ(mul<R>(big, -2.0f), down ? -Inf : -big);
  EXPECT_EQ(add<R>(Inf, -big), Inf);
  EXPECT_EQ(div<R>(1.0f, 0.0f), Inf);
  EXPECT_EQ(div<R>(-1.0, 0.0), -double(Inf));
  EXPECT_EQ(fma<R>(double(Inf), 1.0, 1.0), double(Inf));
  EXPECT_EQ(rcp<R>(Inf), 0.0f);
}

// A result is flushed when it is tiny after rounding with an unbounded exponent; these pairs were run on
// sm_90.
TEST(Float, FlushLooksAtTheRoundedResult) {
  const float justAbove = floatOf(0x800001), nearOne = floatOf(0x3f7ffffe);
  EXPECT_EQ(bitsOfFloat(mul<Rounding::RN, true>(justAbove, nearOne)), 0x800000u);
  EXPECT_EQ(bitsOfFloat(mul<Rounding::RP, true>(justAbove, nearOne)), 0x800000u);
  EXPECT_EQ(bitsOfFloat(mul<Rounding::RZ, true>(justAbove, nearOne)), 0u);
  EXPECT_EQ(bitsOfFloat(fma<Rounding::RN, true>(justAbove, nearOne, -0.0f)), 0x800000u);
  EXPECT_EQ(bitsOfFloat(mul<Rounding::RN, true>(floatOf(0x800000), floatOf(0x3f7fffff))), 0u);
  EXPECT_EQ(bitsOfFloat(mul<Rounding::RN, true>(floatOf(0x80800000), floatOf(0x3f7fffff))), 0x80000000u);
  EXPECT_EQ(bitsOfFloat(div<Rounding::RN, true>(floatOf(0x800000), floatOf(0x3f800001))), 0u);
  EXPECT_EQ((mul<Rounding::RN, true>(Half{0x401}, Half{0x3bfe}).bits), 0x400);
  EXPECT_EQ((mul<Rounding::RN, true>(Half{0x400}, Half{0x3bff}).bits), 0);
}

TEST(Float, FlushKeepsSignsAndLeavesNormalsAlone) {
  forTriples32([](float a, float b, float c) {
    auto flushed = [](float x) { return isSubnormal(x) ? std::copysign(0.0f, x) : x; };
    float fa = flushed(a), fb = flushed(b), fc = flushed(c);
    float plain = fma<Rounding::RN>(fa, fb, fc), got = fma<Rounding::RN, true>(a, b, c);
    // The least normal may represent a tiny value rounded up; only there may the two differ.
    if (std::fabs(plain) != 0x1p-126f)
      ASSERT_EQ(bitsOfFloat(got), bitsOfFloat(flushed(plain))) << std::hexfloat << a << " " << b << " " << c;
    ASSERT_EQ(bitsOfFloat(add<Rounding::RN, true>(a, b)), bitsOfFloat(flushed(add(fa, fb))));
  });
}

TEST(Float, SaturationClampsToUnitAndDropsNaN) {
  EXPECT_EQ(bitsOfFloat(saturate(NaN32)), 0u);
  EXPECT_EQ(bitsOfFloat(saturate(-0.0f)), 0u);
  EXPECT_EQ(saturate(-Inf), 0.0f);
  EXPECT_EQ(saturate(Inf), 1.0f);
  EXPECT_EQ(saturate(0.25f), 0.25f);
  EXPECT_EQ(saturate(floatOf(0x3f800001)), 1.0f);
  EXPECT_EQ((add<Rounding::RN, false, true>(0.75f, 0.75f)), 1.0f);
  EXPECT_EQ(bitsOfFloat(fma<Rounding::RZ, false, true>(Inf, 0.0f, 1.0f)), 0u);
}

template <class T> class AnyFormat : public testing::Test {};
using AllFormats = testing::Types<float, double, Half, BFloat16>;
TYPED_TEST_SUITE(AnyFormat, AllFormats);

/// +0 -0 1 -2 inf -inf NaN subnormal, in T.
template <class T> T small(double value) { return convertFloat<T>(value); }

TYPED_TEST(AnyFormat, MinAndMaxOrderZerosAndPassNumbersOverNaN) {
  using T = TypeParam;
  const T zero = small<T>(0.0), minusZero = small<T>(-0.0), one = small<T>(1), minusTwo = small<T>(-2),
          nan = canonicalNaN<T>;
  auto same = [](T a, T b) { return toBits(a) == toBits(b); };
  for (auto [a, b] : {std::pair{minusZero, zero}, {minusTwo, one}, {minusTwo, minusZero}, {zero, one}}) {
    EXPECT_TRUE(same(heddle::semantics::min(a, b), a));
    EXPECT_TRUE(same(heddle::semantics::min(b, a), a));
    EXPECT_TRUE(same(heddle::semantics::max(a, b), b));
    EXPECT_TRUE(same(heddle::semantics::max(b, a), b));
  }
  EXPECT_TRUE(same(heddle::semantics::min(nan, one), one));
  EXPECT_TRUE(same(heddle::semantics::max(one, nan), one));
  EXPECT_TRUE(isNaN(heddle::semantics::min(nan, nan)));
  EXPECT_TRUE(same((heddle::semantics::min<false, true>(nan, one)), nan));
  EXPECT_TRUE(same((heddle::semantics::max<false, false, true>(minusTwo, one)), minusTwo));
  EXPECT_TRUE(same((heddle::semantics::min<false, false, true>(minusTwo, one)), small<T>(-1)));
  EXPECT_TRUE(same((heddle::semantics::min<false, false, true>(minusTwo, small<T>(-1))), one));
}

TYPED_TEST(AnyFormat, ComparisonsAreOrderedOrUnorderedAsNamed) {
  using T = TypeParam;
  const T one = small<T>(1), two = small<T>(2), nan = canonicalNaN<T>;
  auto row = [](T a, T b) {
    return std::vector<bool>{
        compare<Compare::Eq>(a, b),  compare<Compare::Ne>(a, b),  compare<Compare::Lt>(a, b),
        compare<Compare::Le>(a, b),  compare<Compare::Gt>(a, b),  compare<Compare::Ge>(a, b),
        compare<Compare::Equ>(a, b), compare<Compare::Neu>(a, b), compare<Compare::Ltu>(a, b),
        compare<Compare::Leu>(a, b), compare<Compare::Gtu>(a, b), compare<Compare::Geu>(a, b),
        compare<Compare::Num>(a, b), compare<Compare::Nan>(a, b)};
  };
  using Row = std::vector<bool>;
  EXPECT_EQ(row(one, two), (Row{0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0}));
  EXPECT_EQ(row(two, one), (Row{0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(row(small<T>(0.0), small<T>(-0.0)), (Row{1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0}));
  EXPECT_EQ(row(one, nan), (Row{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(row(nan, nan), row(nan, one));
}

TYPED_TEST(AnyFormat, ClassesPartitionTheValues) {
  using T = TypeParam;
  const T tiny = fromBits<T>(1), inf = fromBits<T>(infinityBits<T>), nan = canonicalNaN<T>,
          zero = small<T>(-0.0);
  auto row = [](T a) {
    return std::vector<bool>{testp(a, FloatClass::Finite), testp(a, FloatClass::Infinite),
                             testp(a, FloatClass::Number), testp(a, FloatClass::NotANumber),
                             testp(a, FloatClass::Normal), testp(a, FloatClass::Subnormal)};
  };
  using Row = std::vector<bool>;
  EXPECT_EQ(row(small<T>(-3)), (Row{1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(row(zero), (Row{1, 0, 1, 0, 1, 0})); // zero counts as normal
  EXPECT_EQ(row(tiny), (Row{1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(row(inf), (Row{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(row(nan), (Row{0, 0, 0, 1, 0, 0}));
}

TEST(Float, SignOperationsOnNaNAreTheHardwares) {
  EXPECT_EQ(bitsOfFloat(neg(floatOf(0x7f800123))), 0x7fffffffu); // all seen on sm_90
  EXPECT_EQ(bitsOfFloat(abs(floatOf(0xffc00456))), 0x7fffffffu);
  EXPECT_EQ(neg(Half{0xfe01}).bits, 0x7fff);
  EXPECT_EQ(abs(BFloat16{0xff81}).bits, 0x7fff);
  EXPECT_EQ(bitsOfDouble(neg(doubleOf(0x7ff0000000000123u))), 0x7ff8000000000123u);
  EXPECT_EQ(bitsOfDouble(abs(doubleOf(0xfff8000000000456u))), 0xfff8000000000456u);
  EXPECT_EQ(bitsOfFloat(copysign(-1.0f, floatOf(0x7f800123))), 0xff800123u);
  EXPECT_EQ(bitsOfFloat(neg(0.0f)), 0x80000000u);
  EXPECT_EQ(
      bitsOfDouble(heddle::semantics::min(doubleOf(0xfff8000000000456u), doubleOf(0x7ff0000000000123u))),
      0x7ff8000000000123u);
}

// --- f16 and bf16
// -----------------------------------------------------------------------------------------------------

template <class T> double roundedTo(const Exact &exact, Rounding mode) {
  return std::is_same_v<T, Half> ? exact.round(11, -14, 15, mode) : exact.round(8, -126, 127, mode);
}

template <class T> void checkSmallArithmetic(T a, T b, T c) {
  double x = toDouble(a), y = toDouble(b), z = toDouble(c);
  if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z))
    return;
  ASSERT_EQ(toDouble(add(a, b)), roundedTo<T>(Exact(x).addProduct(y, 1), Rounding::RN))
      << a.bits << " " << b.bits;
  ASSERT_EQ(toDouble(sub(a, b)), roundedTo<T>(Exact(x).addProduct(-y, 1), Rounding::RN))
      << a.bits << " " << b.bits;
  ASSERT_EQ(toDouble(mul(a, b)), roundedTo<T>(Exact().addProduct(x, y), Rounding::RN))
      << a.bits << " " << b.bits;
  ASSERT_EQ(toDouble(fma(a, b, c)), roundedTo<T>(Exact(z).addProduct(x, y), Rounding::RN))
      << a.bits << " " << b.bits << " " << c.bits;
}

TEST(SmallFloat, ArithmeticIsRoundedOnce) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (int i = 0; i < Sweep && !HasFatalFailure(); ++i) {
    uint16_t a = uint16_t(random.bits()), b = uint16_t(random.bits()), c = uint16_t(random.bits());
    checkSmallArithmetic(Half{a}, Half{b}, Half{c});
    checkSmallArithmetic(BFloat16{a}, BFloat16{b}, BFloat16{c});
    // A product near a midpoint with a far smaller addend: where rounding twice goes wrong.
    c = uint16_t(random.below(64));
    checkSmallArithmetic(Half{a}, Half{b}, Half{c});
    checkSmallArithmetic(BFloat16{a}, BFloat16{b}, BFloat16{c});
  }
}

TEST(SmallFloat, ReluAndPackedFormsActOnEachHalf) {
  EXPECT_EQ((fma<Rounding::RN, false, false, true>(Half{0x3c00}, Half{0xbc00}, Half{0}).bits), 0);
  EXPECT_EQ((fma<Rounding::RN, false, false, true>(Half{0x8000}, Half{0x3c00}, Half{0x8000}).bits), 0);
  EXPECT_EQ((fma<Rounding::RN, false, false, true>(Half{0x7c00}, Half{0}, Half{0}).bits), 0x7fff);
  auto sum = [](Half x, Half y) { return add(x, y); };
  EXPECT_EQ(perHalf<Half>(sum, 0x3c004000u, 0x3c003c00u), 0x40004200u);
}

/// The value of an f16's bits by its definition.
double halfByDefinition(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  if (exponent == 31)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN() : Inf;
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(SmallFloat, EveryHalfWidensToItsDefinition) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double wanted = halfByDefinition(uint16_t(bits)), got = toFloat(Half{uint16_t(bits)});
    if (std::isnan(wanted))
      ASSERT_EQ(bitsOfFloat(toFloat(Half{uint16_t(bits)})), 0x7fffffffu);
    else
      ASSERT_TRUE(got == wanted && std::signbit(got) == std::signbit(wanted)) << bits;
    ASSERT_EQ(bitsOfFloat(toFloat(BFloat16{uint16_t(bits)})), bits << 16);
  }
}

template <class T, Rounding R> void checkNarrowingAround(uint16_t bits) {
  T value{bits}, next{uint16_t(bits + 1)};
  double x = toDouble(value), y = toDouble(next);
  if (!std::isfinite(x) || !std::isfinite(y) || isNegative(value) != isNegative(next))
    return;
  double middle = x + (y - x) / 2, step = (y - x) / 1024;
  for (double probe : {x, x + step, middle - step, middle, middle + step, y - step}) {
    T got = convertFloat<T, R>(float(probe));
    ASSERT_EQ(toDouble(got), roundedTo<T>(Exact(float(probe)), R)) << bits << " " << probe;
    ASSERT_EQ(toBits(got), toBits(convertFloat<T, R>(double(float(probe))))) << bits;
  }
}

TEST(SmallFloat, EveryGapNarrowsRightInEveryMode) {
  for (uint32_t bits = 0; bits < 0x10000 && !HasFatalFailure();
       bits += 3) { // coprime to the patterns of bits
    checkNarrowingAround<Half, Rounding::RN>(uint16_t(bits));
    checkNarrowingAround<Half, Rounding::RZ>(uint16_t(bits));
    checkNarrowingAround<Half, Rounding::RM>(uint16_t(bits));
    checkNarrowingAround<Half, Rounding::RP>(uint16_t(bits));
    checkNarrowingAround<BFloat16, Rounding::RN>(uint16_t(bits));
    checkNarrowingAround<BFloat16, Rounding::RZ>(uint16_t(bits));
  }
}

/// Floats of every exponent and around every boundary of f16 and bf16, as bits.
template <class F> void forManyFloats(F check) {
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 1021)
    check(uint32_t(bits));
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      check(upper << 16 | lower);
}

TEST(Narrow, FloatsToHalvesRoundAsDoublesDo) {
  uint64_t wrong = 0;
  forManyFloats([&](uint32_t bits) {
    const float value = floatOf(bits);
    wrong += narrow<F16Layout, Rounding::RN>(value) != narrow<F16Layout, Rounding::RN>(double(value));
    wrong += narrow<BF16Layout, Rounding::RN>(value) != narrow<BF16Layout, Rounding::RN>(double(value));
    wrong +=
        narrow<F16Layout, Rounding::RN>(value, true) != narrow<F16Layout, Rounding::RN>(double(value), true);
    wrong += narrow<BF16Layout, Rounding::RN>(value, true) !=
             narrow<BF16Layout, Rounding::RN>(double(value), true);
  });
  EXPECT_EQ(wrong, 0u);
}

TEST(Narrow, FmaOfHalvesInFloatIsThatInDouble) {
  Random random;
  SCOPED_TRACE(random.trace());
  auto check = [](Half a, Half b, Half c) {
    ASSERT_EQ(detail::fmaInFloat(toFloat(a), toFloat(b), toFloat(c)).bits,
              (detail::fmaTo<Half, Rounding::RN>(toDouble(a), toDouble(b), toDouble(c)).bits))
        << std::hex << a.bits << " " << b.bits << " " << c.bits;
  };
  for (int i = 0; i < 100 * Sweep; ++i) {
    const uint64_t bits = random.bits();
    Half a{uint16_t(bits)}, b{uint16_t(bits >> 16)}, c{uint16_t(bits >> 32)};
    if (i % 3 == 0)
      c = neg(mul(a, b)); // where almost everything cancels
    if (i % 3 == 1)
      c.bits = uint16_t((c.bits & 0x83ff) | (mul(a, b).bits & 0x7c00)); // near the product
    check(a, b, c);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

} // namespace
} // namespace heddle::semantics
