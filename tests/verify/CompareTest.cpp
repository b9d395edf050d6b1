// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify/Compare.h"

#include "support/Paths.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle;
using namespace heddle::verify;

namespace {

template <class T> std::vector<uint8_t> bytes(const std::vector<T> &values) {
  auto *raw = reinterpret_cast<const uint8_t *>(values.data());
  return {raw, raw + values.size() * sizeof(T)};
}

template <class T> bool close(T a, T b, Element element, const char *tolerance) {
  return areClose(reinterpret_cast<uint8_t *>(&a), reinterpret_cast<uint8_t *>(&b), element,
                  *readTolerance(tolerance));
}

TEST(Tolerance, IsReadFromWords) {
  EXPECT_EQ(readTolerance("ulp=4")->ulps, 4u);
  EXPECT_EQ(readTolerance("rel=1e-6,abs=0.5")->absolute, 0.5);
  for (const char *bad : {"", "4", "ulp", "ulp=", "ulp=1.5", "rel=-1", "eps=3", "rel=x", "rel=1,"})
    EXPECT_FALSE(readTolerance(bad)) << bad;
}

TEST(Tolerance, IsReadFromItsOwnWords) {
  EXPECT_EQ(textOf(Tolerance()), "");
  EXPECT_EQ(textOf(*readTolerance("ulp=4")), "ulp=4");
  for (const char *text : {"ulp=4", "rel=1e-6,abs=0.5", "abs=1e-9,ulp=10000000000,rel=0.3333333333333333"}) {
    const Tolerance before = *readTolerance(text), after = *readTolerance(textOf(before));
    EXPECT_EQ(after.ulps, before.ulps) << text;
    EXPECT_EQ(after.relative, before.relative) << text;
    EXPECT_EQ(after.absolute, before.absolute) << text;
  }
}

TEST(Tolerance, UlpsCountNeighbours) {
  float one = 1.0f, next = std::nextafterf(one, 2), afterNext = std::nextafterf(next, 2);
  EXPECT_TRUE(close(one, next, Element::F32, "ulp=1"));
  EXPECT_FALSE(close(one, afterNext, Element::F32, "ulp=1"));
  EXPECT_TRUE(close(std::nextafter(0.0, -1), std::nextafter(0.0, 1), Element::F64, "ulp=2"));
  EXPECT_FALSE(close(std::nextafter(0.0, -1), std::nextafter(0.0, 1), Element::F64, "ulp=1"));
}

TEST(Tolerance, OneOfSeveralSuffices) {
  EXPECT_TRUE(close(1000.0, 1000.5, Element::F64, "rel=1e-3,abs=1e-9"));
  EXPECT_TRUE(close(1e-12, 2e-12, Element::F64, "rel=1e-3,abs=1e-9"));
  EXPECT_FALSE(close(1.0, 1.1, Element::F64, "rel=1e-3,abs=1e-9"));
}

TEST(Tolerance, NothingIsCloseToNanOrInfinityButItself) {
  EXPECT_FALSE(close(NAN, 1.0f, Element::F32, "abs=1e30"));
  EXPECT_TRUE(close(NAN, -NAN, Element::F32, "abs=1e-30"));
  EXPECT_FALSE(close(INFINITY, 3e38f, Element::F32, "ulp=100000000"));
  EXPECT_TRUE(close(double(INFINITY), double(INFINITY), Element::F64, "ulp=1"));
}

TEST(Tolerance, IntegersAreExact) { EXPECT_FALSE(close(5, 6, Element::I32, "abs=10")); }

TEST(Elements, ComeFromTheKernelsSignature) {
  EXPECT_EQ(elementOfParameter("_Z5saxpyfPKfPfi", 1), Element::F32);
  EXPECT_EQ(elementOfParameter("_Z5saxpyfPKfPfi", 0), Element::Bytes); // no pointer
  EXPECT_EQ(elementOfParameter("_Z5saxpyfPKfPfi", 7), Element::Bytes); // no such parameter
  EXPECT_EQ(elementOfParameter("_Z1kPdPjPKhPmPs", 0), Element::F64);
  EXPECT_EQ(elementOfParameter("_Z1kPdPjPKhPmPs", 2), Element::U8);
  EXPECT_EQ(elementOfParameter("_Z1kPdPjPKhPmPs", 4), Element::I16);
  EXPECT_EQ(elementOfParameter("_Z3vecP6float4", 0), Element::F32);
  // void apply<int, 1, Pair<float, int> >(int const*, int*, Pair<float, int>)
  EXPECT_EQ(elementOfParameter("_Z5applyIiLi1E4PairIfiEEvPKT_PS2_T1_", 1), Element::I32);
  EXPECT_EQ(elementOfParameter("_Z1kP6Struct", 0), Element::Bytes);
  EXPECT_EQ(elementOfParameter("plain_c_kernel", 0), Element::Bytes);
}

TEST(Elements, AreGuessedFromValuesWhereNothingSaysThem) {
  EXPECT_EQ(guessElement(bytes<float>({1.5f, -2.25f, 0, 1e9f})), Element::F32);
  EXPECT_EQ(guessElement(bytes<double>({1.1, -2.3, 0, 1e90})), Element::F64);
  EXPECT_EQ(guessElement(bytes<int>({1, -2, 3, 100000})), Element::I32);
  EXPECT_EQ(guessElement({1, 2, 3}), Element::U8);
}

class Logs : public testing::Test {
protected:
  struct Copy {
    std::vector<uint8_t> bytes;
    std::string kernel = "_Z1kPf";
    int parameter = 0;
  };
  std::string write(const char *name, const std::vector<Copy> &given) {
    std::string file = (folder.path() / name).string();
    trace::CopyLogWriter writer;
    EXPECT_TRUE(writer.open(file));
    for (const Copy &copy : given) {
      trace::CopyRecord record;
      record.kernel = copy.kernel;
      record.kernelParameter = copy.parameter;
      record.kernelLaunch = 3;
      record.bytes = copy.bytes;
      writer.write(record);
    }
    return file;
  }
  std::optional<CopyDifference> compare(const std::vector<Copy> &a, const std::vector<Copy> &b,
                                        const char *tolerance = "ulp=0") {
    return compareLogs(write("a", a), write("b", b), *readTolerance(tolerance), copies);
  }
  TemporaryFolder folder;
  uint64_t copies = 0;
};

TEST_F(Logs, EqualCopiesAreEqual) {
  std::vector<Copy> two = {{bytes<float>({1, 2})}, {bytes<float>({3})}};
  EXPECT_FALSE(compare(two, two));
  EXPECT_EQ(copies, 2u);
}

TEST_F(Logs, FirstDifferenceIsNamedWithElementAndValues) {
  auto difference = compare({{bytes<float>({0})}, {bytes<float>({1, 2, 3, 4})}},
                            {{bytes<float>({0})}, {bytes<float>({1, 2, 3.5f, 5})}});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->copy, 2u);
  EXPECT_EQ(difference->index, 2u);
  EXPECT_EQ(difference->differing, 2u);
  EXPECT_EQ(difference->valueA, "3");
  EXPECT_EQ(difference->valueB, "3.5");
  EXPECT_EQ(difference->bitsB, "0x40600000");
  EXPECT_EQ(difference->a.kernelLaunch, 3u);
}

TEST_F(Logs, ToleranceIsAppliedByTheElementsType) {
  EXPECT_FALSE(compare({{bytes<float>({1})}}, {{bytes<float>({std::nextafterf(1, 2)})}}, "ulp=1"));
  EXPECT_TRUE(compare({{bytes<int>({100}), "_Z1kPi"}}, {{bytes<int>({101}), "_Z1kPi"}}, "ulp=1"));
}

/// A tolerance applied by a guessed type would take integers for parts of floating-point numbers.
TEST_F(Logs, ToleranceIsNotAppliedToUnknownTypes) {
  struct Particle {
    int id;
    float x;
  };
  const std::vector<uint8_t> some = bytes<Particle>({{1, 1.5f}, {2, 2.5f}}),
                             others = bytes<Particle>({{999, 1.5f}, {998, 2.5f}});
  EXPECT_EQ(guessElement(some), Element::F64); // in which the ids are the low bits
  for (const char *kernel : {"_Z1kP8Particle", "_Z1kPv", "plain_c_kernel"}) {
    EXPECT_FALSE(compare({{some, kernel}}, {{some, kernel}}, "rel=1e-3"));
    const auto difference = compare({{some, kernel}}, {{others, kernel}}, "rel=1e-3");
    ASSERT_TRUE(difference) << kernel;
    EXPECT_EQ(difference->differing, 2u);
    EXPECT_FALSE(difference->isTypeKnown);
    EXPECT_TRUE(difference->toleranceWasNotApplied);
    EXPECT_NE(textOf(*difference).find("the tolerance was not applied"), std::string::npos);
  }
  const std::vector<uint8_t> a = bytes<float>({1}), b = bytes<float>({1.0001f});
  EXPECT_TRUE(compare({{a, "plain_c_kernel"}}, {{b, "plain_c_kernel"}}, "rel=1e-3"));
  EXPECT_TRUE(compare({{a, "variable", -1}}, {{b, "variable", -1}}, "rel=1e-3"));
  EXPECT_FALSE(compare({{a}}, {{b}}, "rel=1e-3"));
}

TEST_F(Logs, WithoutAToleranceNothingIsStatedOfIt) {
  const auto unknown = compare({{bytes<int>({1}), "plain_c_kernel"}}, {{bytes<int>({2}), "plain_c_kernel"}});
  ASSERT_TRUE(unknown);
  EXPECT_FALSE(unknown->isTypeKnown);
  EXPECT_FALSE(unknown->toleranceWasNotApplied);
  EXPECT_EQ(textOf(*unknown).find("tolerance"), std::string::npos);
  const auto known = compare({{bytes<float>({1})}}, {{bytes<float>({2})}}, "rel=1e-3");
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->isTypeKnown);
  EXPECT_EQ(toleranceText(*known), "");
}

TEST_F(Logs, SignOfZeroCountsUnlessThereIsATolerance) {
  EXPECT_TRUE(compare({{bytes<float>({0.0f})}}, {{bytes<float>({-0.0f})}}));
  EXPECT_FALSE(compare({{bytes<float>({0.0f})}}, {{bytes<float>({-0.0f})}}, "abs=1e-30"));
}

TEST_F(Logs, SizesAndCountsMustAgree) {
  EXPECT_TRUE(compare({{bytes<float>({1})}}, {{bytes<float>({1, 1})}}));
  auto missing = compare({{bytes<float>({1})}}, {});
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->what, "only the first program made it");
}

TEST_F(Logs, OnlyComparedCopiesAreReadInDetail) {
  const std::string a = write("a", {{bytes<float>({1})}, {bytes<float>({2})}}),
                    b = write("b", {{bytes<float>({5})}, {bytes<float>({2})}});
  EXPECT_FALSE(compareLogs(a, b, {}, copies, [](uint64_t copy) { return copy != 1; }));
  EXPECT_EQ(copies, 2u);
  EXPECT_TRUE(compareLogs(a, b, {}, copies, [](uint64_t copy) { return copy != 2; }));
}

TEST(Text, LinesAreComparedNumbersWithTolerance) {
  Tolerance exact, loose = *readTolerance("rel=1e-3");
  EXPECT_FALSE(compareText("a\nb 1.5\n", "a\nb 1.5\n", exact));
  EXPECT_EQ(compareText("a\nb 1.5\n", "a\nb 1.5001\n", exact)->line, 2u);
  EXPECT_FALSE(compareText("a\nb 1.5\n", "a\nb 1.5001\n", loose));
  EXPECT_TRUE(compareText("a\nb 1.5\n", "a\nc 1.5\n", loose));
  EXPECT_EQ(compareText("a\n", "a\nb\n", exact)->line, 2u);
}

} // namespace
