// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Random.h"
#include "semantics/Bits.h"
#include "semantics/Video.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::semantics {
namespace {

constexpr int Sweep = 20000;

/// The mathematical value, converted back into T as two's complement does.
template <class T> T wrapped(Int128 value) {
  return T(static_cast<Unsigned<T>>(static_cast<UInt128>(value)));
}

template <class T> class IntegerOf : public testing::Test {};
using AllIntegers = testing::Types<int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(IntegerOf, AllIntegers);

template <class T> std::vector<T> edges() {
  using L = std::numeric_limits<T>;
  return {
      T(0), T(1), T(2), T(-1), T(-2), L::max(), T(L::max() - 1), L::min(), T(L::min() + 1), T(L::max() / 2),
      T(77)};
}

template <class T, class F> void forPairs(F check) {
  for (T a : edges<T>())
    for (T b : edges<T>())
      check(a, b);
  Random random;
  for (int i = 0; i < Sweep; ++i)
    check(random.integer<T>(), random.integer<T>());
}

TYPED_TEST(IntegerOf, ArithmeticWrapsToTheWidth) {
  using T = TypeParam;
  forPairs<T>([](T a, T b) {
    ASSERT_EQ(add(a, b), wrapped<T>(Int128(a) + b));
    ASSERT_EQ(sub(a, b), wrapped<T>(Int128(a) - b));
    ASSERT_EQ(mulLo(a, b),
              wrapped<T>(Int128(static_cast<UInt128>(Int128(a)) * static_cast<UInt128>(Int128(b)))));
    ASSERT_EQ(madLo(a, b, a), wrapped<T>(Int128(mulLo(a, b)) + a));
    ASSERT_EQ(neg(a), wrapped<T>(-Int128(a)));
    ASSERT_EQ(sad(a, b, a), wrapped<T>(Int128(a) + (Int128(a) > b ? Int128(a) - b : Int128(b) - a)));
    ASSERT_EQ(min(a, b), a < b ? a : b);
    ASSERT_EQ(max(a, b), a < b ? b : a);
  });
}

// The high half by schoolbook multiplication of half-width digits, so that no wider type is needed.
uint64_t schoolbookHigh(uint64_t a, uint64_t b) {
  uint64_t al = uint32_t(a), ah = a >> 32, bl = uint32_t(b), bh = b >> 32;
  uint64_t middle = ah * bl + (al * bl >> 32), low = uint32_t(middle) + al * bh;
  return ah * bh + (middle >> 32) + (low >> 32);
}

TYPED_TEST(IntegerOf, HighHalfIsThatOfTheFullProduct) {
  using T = TypeParam;
  forPairs<T>([](T a, T b) {
    if constexpr (sizeof(T) < 8) {
      ASSERT_EQ(mulHi(a, b), T((Int128(a) * Int128(b)) >> bitsOf<T>)) << a << " " << b;
    } else {
      uint64_t high = schoolbookHigh(uint64_t(a), uint64_t(b));
      if (std::is_signed_v<T>)
        high -= (a < 0 ? uint64_t(b) : 0) + (b < 0 ? uint64_t(a) : 0);
      ASSERT_EQ(uint64_t(mulHi(a, b)), high);
    }
  });
}

TYPED_TEST(IntegerOf, CarryAndBorrowChainLikeOneWideNumber) {
  using T = TypeParam;
  using U = Unsigned<T>;
  forPairs<T>([](T a, T b) {
    for (bool in : {false, true}) {
      UInt128 sum = UInt128(U(a)) + U(b) + in;
      ASSERT_EQ(addCarry(a, b, in), (WithCarry<T>{T(U(sum)), bool(sum >> bitsOf<T> & 1)}));
      UInt128 difference = UInt128(U(a)) - U(b) - in;
      ASSERT_EQ(subBorrow(a, b, in), (WithCarry<T>{T(U(difference)), bool(difference >> bitsOf<T> & 1)}));
    }
  });
}

TYPED_TEST(IntegerOf, DivisionNeverTrapsAndMeetsItsIdentity) {
  using T = TypeParam;
  forPairs<T>([](T a, T b) {
    if (b == 0) {
      ASSERT_EQ(div(a, b), T(-1));
      ASSERT_EQ(rem(a, b), T(-1));
      return;
    }
    ASSERT_EQ(div(a, b), wrapped<T>(Int128(a) / b));
    ASSERT_EQ(rem(a, b), wrapped<T>(Int128(a) % b));
  });
}

TYPED_TEST(IntegerOf, ShiftsClampAtTheWidth) {
  using T = TypeParam;
  for (T a : edges<T>())
    for (uint32_t n : {0u, 1u, 7u, 15u, 16u, 31u, 32u, 33u, 63u, 64u, 65u, 255u, 256u, 0x80000000u, ~0u}) {
      T left = a, right = a;
      for (uint32_t i = 0; i < std::min(n, 64u); ++i) { // one place at a time
        left = T(Unsigned<T>(left) << 1);
        right = std::is_signed_v<T> ? T(right >> 1) : T(Unsigned<T>(right) >> 1);
      }
      ASSERT_EQ(shl(a, n), left) << n;
      ASSERT_EQ(shr(a, n), right) << n;
    }
}

// The loops of the PTX ISA's own pseudo-code.
template <class T> T bfeByTheBook(T a, uint32_t b, uint32_t c) {
  using U = Unsigned<T>;
  constexpr uint32_t msb = bitsOf<T> - 1;
  uint32_t pos = b & 0xff, len = c & 0xff;
  auto bit = [&](uint32_t i) { return U(a) >> i & 1; };
  U sign = !std::is_signed_v<T> || len == 0 ? U(0) : U(bit(std::min(pos + len - 1, msb)));
  U d = 0;
  for (uint32_t i = 0; i <= msb; ++i)
    d |= U(U(i < len && pos + i <= msb ? bit(pos + i) : sign) << i);
  return T(d);
}
template <class T> T bfiByTheBook(T a, T b, uint32_t c, uint32_t d) {
  using U = Unsigned<T>;
  uint32_t pos = c & 0xff, len = d & 0xff;
  U f = U(b);
  for (uint32_t i = 0; i < len && pos + i < uint32_t(bitsOf<T>); ++i)
    f = U((f & U(~(U(1) << (pos + i)))) | U((U(a) >> i & 1) << (pos + i)));
  return T(f);
}

template <class T> class FieldOf : public testing::Test {};
using FieldIntegers = testing::Types<int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(FieldOf, FieldIntegers);

TYPED_TEST(FieldOf, ExtractAndInsertAgreeWithTheBookAtEveryPlace) {
  using T = TypeParam;
  Random random;
  for (T a : {T(0), T(-1), T(0x80000001u), T(random.bits()), T(random.bits())})
    for (uint32_t pos = 0; pos < 300; pos += pos < 70 ? 1 : 37)
      for (uint32_t len = 0; len < 300; len += len < 70 ? 1 : 37) {
        ASSERT_EQ(bfe(a, pos, len), bfeByTheBook(a, pos, len)) << pos << " " << len;
        ASSERT_EQ(bfi(a, T(~a), pos, len), bfiByTheBook(a, T(~a), pos, len)) << pos << " " << len;
      }
}

TYPED_TEST(FieldOf, FindsTheHighestBitThatIsNotSign) {
  using T = TypeParam;
  EXPECT_EQ(bfind(T(0)), ~0u);
  EXPECT_EQ(bfindShiftAmount(T(0)), ~0u);
  EXPECT_EQ(bfind(T(-1)), std::is_signed_v<T> ? ~0u : uint32_t(bitsOf<T> - 1));
  for (uint32_t place = 0; place + 1 < uint32_t(bitsOf<T>); ++place) {
    T a = T(T(1) << place);
    EXPECT_EQ(bfind(a), place);
    EXPECT_EQ(bfindShiftAmount(a), uint32_t(bitsOf<T> - 1) - place);
    EXPECT_EQ(bfind(T(~a)), std::is_signed_v<T> ? place : uint32_t(bitsOf<T> - 1));
    EXPECT_EQ(clz(a), uint32_t(bitsOf<T> - 1) - place);
    EXPECT_EQ(ffs(a), int(place) + 1);
    EXPECT_EQ(popc(T(a | 1)), place ? 2u : 1u);
  }
  EXPECT_EQ(clz(T(0)), uint32_t(bitsOf<T>));
  EXPECT_EQ(ffs(T(0)), 0);
}

TEST(Integer, SaturationStopsAtTheEndsOfTheRange) {
  forPairs<int32_t>([](int32_t a, int32_t b) {
    auto clamp = [](Int128 v) { return int32_t(std::clamp<Int128>(v, INT32_MIN, INT32_MAX)); };
    ASSERT_EQ(addSat(a, b), clamp(Int128(a) + b));
    ASSERT_EQ(subSat(a, b), clamp(Int128(a) - b));
    ASSERT_EQ(madHiSat(a, b, b), clamp(((Int128(a) * b) >> 32) + b));
    ASSERT_EQ(convertIntegerSat<int16_t>(a), int16_t(std::clamp(a, -32768, 32767)));
    ASSERT_EQ(convertIntegerSat<uint8_t>(a), uint8_t(std::clamp(a, 0, 255)));
    ASSERT_EQ(convertIntegerSat<uint64_t>(a), uint64_t(std::max(a, 0)));
  });
  EXPECT_EQ(convertIntegerSat<int64_t>(~uint64_t(0)), INT64_MAX);
  EXPECT_EQ(convertIntegerSat<int32_t>(~uint64_t(0)), INT32_MAX);
}

TEST(Integer, TwentyFourBitProductsUseTheLowBitsOnly) {
  forPairs<int32_t>([](int32_t a, int32_t b) {
    auto low = [](int64_t v) { return (v & 0xffffff) - (v & 0x800000 ? 0x1000000 : 0); };
    int64_t product = low(a) * low(b), unsignedProduct = (int64_t(a) & 0xffffff) * (int64_t(b) & 0xffffff);
    ASSERT_EQ(mul24Lo(a, b), int32_t(product));
    ASSERT_EQ(mul24Hi(a, b), int32_t(product >> 16));
    ASSERT_EQ(mul24Lo(uint32_t(a), uint32_t(b)), uint32_t(unsignedProduct));
    ASSERT_EQ(mul24Hi(uint32_t(a), uint32_t(b)), uint32_t(unsignedProduct >> 16));
    ASSERT_EQ(mad24Hi(a, b, 5), int32_t(uint32_t(product >> 16) + 5));
  });
  EXPECT_EQ(mad24HiSat(0x800000, 0x800000, INT32_MAX), INT32_MAX);
}

TEST(Integer, WideProductsAreExact) {
  forPairs<int32_t>([](int32_t a, int32_t b) {
    ASSERT_EQ(mulWide(a, b), int64_t(a) * b);
    ASSERT_EQ(mulWide(uint32_t(a), uint32_t(b)), uint64_t(uint32_t(a)) * uint32_t(b));
    ASSERT_EQ(mulWide(int16_t(a), int16_t(b)), int16_t(a) * int16_t(b));
    ASSERT_EQ(madWide(a, b, INT64_MAX), wrapped<int64_t>(Int128(a) * b + INT64_MAX));
  });
}

TEST(Integer, DotProductsAddEachPairOfFields) {
  EXPECT_EQ((dp4a<int8_t, int8_t>(0x80ff7f01, 0x80010203, 10)), 10 + 1 * 3 + 127 * 2 - 1 * 1 + 128 * 128);
  EXPECT_EQ((dp4a<uint8_t, int8_t>(0xff000000, 0xff000000, 0)), -255);
  EXPECT_EQ((dp4a<uint8_t, uint8_t>(0xffffffff, 0xffffffff, -1)), 4 * 255 * 255 - 1);
  EXPECT_EQ((dp2a<int16_t, uint8_t>(0x8000ffff, 0xff02ff03, 1, false)), 1 - 3 - 32768 * 255);
  EXPECT_EQ((dp2a<int16_t, int8_t>(0x8000ffff, 0xff020000, 1, true)), 1 - 2 + 32768);
  EXPECT_EQ((dp2a<uint16_t, uint8_t>(0xffffffff, 0xffff, INT32_MAX, false)),
            int32_t(0x7fffffffu + 2u * 65535u * 255u));
}

TEST(Integer, PackedConversionPutsTheFirstOperandHigher) {
  EXPECT_EQ(convertPackSat(70000, -70000, 0, 16, true), 0x7fff8000u);
  EXPECT_EQ(convertPackSat(70000, -70000, 0, 16, false), 0xffff0000u);
  EXPECT_EQ(convertPackSat(300, -300, 0xabcd1234u, 8, true), 0x12347f80u);
  EXPECT_EQ(convertPackSat(300, 5, 0xabcd1234u, 8, false), 0x1234ff05u);
  EXPECT_EQ(convertPackSat(9, -9, 0xabcdef12u, 4, true), 0xcdef1278u);
  EXPECT_EQ(convertPackSat(1, 3, 0x0000000fu, 2, false), 0xf7u);
}

TEST(Bits, FunnelShiftsActOnTheWholePair) {
  for (uint32_t n : {0u, 1u, 5u, 31u, 32u, 33u, 64u, 255u, ~0u}) {
    uint64_t both = 0x89abcdef01234567u;
    uint32_t clamped = std::min(n, 32u), turned = n % 32;
    EXPECT_EQ(funnelShiftLeft(0x01234567, 0x89abcdef, n, ShiftMode::Clamp), uint32_t(both << clamped >> 32))
        << n;
    EXPECT_EQ(funnelShiftRight(0x01234567, 0x89abcdef, n, ShiftMode::Clamp), uint32_t(both >> clamped)) << n;
    EXPECT_EQ(funnelShiftLeft(0x01234567, 0x89abcdef, n, ShiftMode::Wrap), uint32_t(both << turned >> 32))
        << n;
    EXPECT_EQ(funnelShiftRight(0x01234567, 0x89abcdef, n, ShiftMode::Wrap), uint32_t(both >> turned)) << n;
  }
}

TEST(Bits, Lop3ReadsItsTruthTable) {
  // a, b and c with these constants make the table's own index appear: the definition of immLut.
  for (int table = 0; table < 256; ++table)
    EXPECT_EQ(lop3(0xf0, 0xcc, 0xaa, uint8_t(table)) & 0xff, uint32_t(table));
  EXPECT_EQ(lop3(0x12345678, 0x9abcdef0, 0xfedcba98, 0x96), 0x12345678u ^ 0x9abcdef0u ^ 0xfedcba98u);
}

TEST(Bits, PermuteSelectsBytesAndSigns) {
  const uint32_t a = 0x83828180, b = 0x07060504;
  EXPECT_EQ(prmt(a, b, 0x7654), b);
  EXPECT_EQ(prmt(a, b, 0x0123), 0x80818283u);
  EXPECT_EQ(prmt(a, b, 0xfc80), 0x0000ff80u);
  struct {
    PermuteMode mode;
    uint32_t expected[4];
  } rows[] = {{PermuteMode::Forward4Extract, {0x83828180, 0x04838281, 0x05048382, 0x06050483}},
              {PermuteMode::Backward4Extract, {0x05060780, 0x06078081, 0x07808182, 0x80818283}},
              {PermuteMode::Replicate8, {0x80808080, 0x81818181, 0x82828282, 0x83838383}},
              {PermuteMode::EdgeClampLeft, {0x83828180, 0x83828181, 0x83828282, 0x83838383}},
              {PermuteMode::EdgeClampRight, {0x80808080, 0x81818180, 0x82828180, 0x83828180}},
              {PermuteMode::Replicate16, {0x81808180, 0x83828382, 0x81808180, 0x83828382}}};
  for (const auto &row : rows)
    for (uint32_t c = 0; c < 4; ++c)
      EXPECT_EQ(prmt(a, b, c | 0xfff0, row.mode), row.expected[c]) << int(row.mode) << " " << c;
}

TEST(Bits, FindNthSetCountsFromTheBaseInEitherDirection) {
  EXPECT_EQ(fns(0xaaaaaaaa, 3, 1), 3u); // the examples of the definition: the base itself counts
  EXPECT_EQ(fns(0xaaaaaaaa, 3, 2), 5u);
  EXPECT_EQ(fns(0xaaaaaaaa, 3, -1), 3u);
  EXPECT_EQ(fns(0xaaaaaaaa, 3, -2), 1u);
  EXPECT_EQ(fns(0xaaaaaaaa, 2, -1), 1u);
  EXPECT_EQ(fns(0xaaaaaaaa, 3, 0), 3u);
  EXPECT_EQ(fns(0xaaaaaaaa, 2, 0), ~0u);
  EXPECT_EQ(fns(0xaaaaaaaa, 3, 100), ~0u);
  EXPECT_EQ(fns(~0u, 0, INT32_MIN), ~0u);
  EXPECT_EQ(fns(~0u, 32, 1), ~0u);
}

TEST(Bits, SzextAndBmskAtTheirEdges) {
  EXPECT_EQ(szext(int32_t(0xff), 8, ShiftMode::Clamp), -1);
  EXPECT_EQ(szext(uint32_t(0xfff), 8, ShiftMode::Clamp), 0xffu);
  EXPECT_EQ(szext(int32_t(-7), 0, ShiftMode::Clamp), 0);
  EXPECT_EQ(szext(int32_t(-7), 500, ShiftMode::Clamp), -7);
  EXPECT_EQ(szext(int32_t(-7), 32, ShiftMode::Wrap), 0);
  EXPECT_EQ(szext(int32_t(0xff), 40, ShiftMode::Wrap), -1);
  EXPECT_EQ(bmsk(4, 8, ShiftMode::Clamp), 0xff0u);
  EXPECT_EQ(bmsk(0, 32, ShiftMode::Clamp), ~0u);
  EXPECT_EQ(bmsk(28, 99, ShiftMode::Clamp), 0xf0000000u);
  EXPECT_EQ(bmsk(99, 8, ShiftMode::Clamp), 0u);
  EXPECT_EQ(bmsk(33, 33, ShiftMode::Wrap), 2u);
}

TEST(Bits, ReversalIsItsOwnInverse) {
  EXPECT_EQ(brev(0x00000001u), 0x80000000u);
  EXPECT_EQ(brev(uint64_t(0x0000000000000002)), 0x4000000000000000u);
  Random random;
  for (int i = 0; i < 1000; ++i) {
    uint64_t a = random.bits();
    ASSERT_EQ(brev(brev(a)), a);
    ASSERT_EQ(brev(uint32_t(a)), uint32_t(brev(a) >> 32));
  }
}

TEST(Video, FieldsDoNotDisturbEachOther) {
  Random random;
  for (int i = 0; i < 5000; ++i) {
    uint32_t a = uint32_t(random.bits()), b = uint32_t(random.bits());
    for (int byte = 0; byte < 4; ++byte) {
      int x = int8_t(a >> 8 * byte), y = int8_t(b >> 8 * byte), ux = uint8_t(x), uy = uint8_t(y);
      auto got = [&](uint32_t word) { return uint8_t(word >> 8 * byte); };
      ASSERT_EQ(got(fieldAdd<int8_t>(a, b)), uint8_t(x + y));
      ASSERT_EQ(got(fieldAddSat<int8_t>(a, b)), uint8_t(std::clamp(x + y, -128, 127)));
      ASSERT_EQ(got(fieldSubSat<uint8_t>(a, b)), uint8_t(std::max(ux - uy, 0)));
      ASSERT_EQ(got(fieldAbsDiff<uint8_t>(a, b)), uint8_t(std::abs(ux - uy)));
      ASSERT_EQ(got(fieldHalvingAdd<uint8_t>(a, b)), uint8_t((ux + uy) / 2));
      ASSERT_EQ(got(fieldAverage<uint8_t>(a, b)), uint8_t((ux + uy + 1) / 2));
      ASSERT_EQ(got((fieldCompare<int8_t, std::less<>>(a, b, -1))), x < y ? 0xff : 0);
    }
  }
  EXPECT_EQ(fieldAverage<int16_t>(0xffff0002, 0x00000001), 0xffff0002u); // seen on sm_90
  EXPECT_EQ(fieldAverage<int16_t>(0xfffefffd, 0xffffffff), 0xfffefffeu);
  EXPECT_EQ(fieldAbs<int8_t>(0x80ff01fe), 0x80010102u);
  EXPECT_EQ(fieldAbsSat<int8_t>(0x80ff01fe), 0x7f010102u);
  EXPECT_EQ(fieldNegSat<int16_t>(0x80000001), 0x7fffffffu);
  EXPECT_EQ(fieldSad<uint8_t>(0x00ff0a05, 0x0100050a), 1u + 255 + 5 + 5);
}

} // namespace
} // namespace heddle::semantics
