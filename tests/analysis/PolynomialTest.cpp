// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Polynomial.h"

#include <gtest/gtest.h>

#include <random>

using namespace heddle::analysis;

namespace {

struct Polynomials : ::testing::Test {
  SymbolTable table;
  Polynomial tx{table.threadIdx(0)}, ty{table.threadIdx(1)}, bx{table.blockIdx(0)};
  Polynomial n{table.parameter("n", false)};
};

TEST_F(Polynomials, PrintLikeAPersonWritesThem) {
  EXPECT_EQ((bx * 16 + tx + 1).str(), "16*blockIdx.x + threadIdx.x + 1");
  EXPECT_EQ((n * ty + tx - n).str(), "n*threadIdx.y - n + threadIdx.x");
  EXPECT_EQ((tx * -1).str(), "-threadIdx.x");
  EXPECT_EQ((tx - tx).str(), "0");
}

TEST_F(Polynomials, HaveOneFormHoweverTheyWereBuilt) {
  EXPECT_EQ((tx + n) * (tx - n), tx * tx - n * n);
  EXPECT_EQ((bx * 8 + tx) * 4 - bx * 32, tx * 4);
}

TEST_F(Polynomials, AreWholeMultiplesOfOthers) {
  EXPECT_EQ((n * 2).multipleOf(n), 2);
  EXPECT_EQ((n * -6 - tx * 3).multipleOf(n * 2 + tx), -3);
  EXPECT_EQ((Polynomial(12)).multipleOf(4), 3);
  EXPECT_EQ((tx - tx).multipleOf(n), 0);
  EXPECT_EQ((n * 3).multipleOf(n * 2), std::nullopt);
  EXPECT_EQ((n * 2 + 1).multipleOf(n), std::nullopt);
  EXPECT_EQ(n.multipleOf(tx), std::nullopt);
  EXPECT_EQ(n.multipleOf(0), std::nullopt);
}

TEST_F(Polynomials, GiveTheCoefficientOfASymbol) {
  EXPECT_EQ((n * ty * 4 + tx + 7).coefficient(table.threadIdx(1))->str(), "4*n");
  EXPECT_TRUE((tx + 7).coefficient(table.threadIdx(1))->isZero());
  EXPECT_FALSE((tx * tx).coefficient(table.threadIdx(0)));
}

TEST_F(Polynomials, DivideOutWhatIsAMultiple) {
  EXPECT_EQ(floorDivide(bx * 64 + tx, 32, table).str(), "2*blockIdx.x + floor((threadIdx.x)/32)");
  EXPECT_EQ(floorDivide(tx * 4 + 8, 4, table), tx + 2);
  EXPECT_EQ(floorDivide(floorDivide(tx, 4, table), 8, table), floorDivide(tx, 32, table));
}

TEST_F(Polynomials, SeeThreadsInsideFloors) {
  Polynomial warp = floorDivide(tx, 32, table);
  EXPECT_TRUE(warp.dependsOnThread());
  EXPECT_TRUE(warp.dependsOnThread(0));
  EXPECT_FALSE(warp.dependsOnThread(1));
  EXPECT_FALSE(floorDivide(bx, 32, table).dependsOnThread());
}

TEST_F(Polynomials, SubstituteInsideFloors) {
  Polynomial warp = floorDivide(tx, 32, table);
  EXPECT_EQ(warp.substituted(table.threadIdx(0), Polynomial(95), &table), Polynomial(2));
}

TEST_F(Polynomials, SayWhenACoefficientOverflows) {
  Polynomial big(INT64_MAX);
  EXPECT_FALSE(big.overflowed());
  EXPECT_TRUE((big + Polynomial(1)).overflowed());
  EXPECT_TRUE((big * tx * 2).overflowed());
}

TEST_F(Polynomials, KnowWhatCannotBeNegative) {
  EXPECT_TRUE((tx * 3 + bx).isNonNegative());
  EXPECT_FALSE((tx - 1).isNonNegative());
  EXPECT_FALSE((n + tx).isNonNegative());
}

/// Builds random expressions twice, as a polynomial and as a number, and compares.
TEST_F(Polynomials, EvaluateToWhatTheyWereBuiltFrom) {
  unsigned seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  auto pick = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  for (int round = 0; round < 2000; ++round) {
    int64_t values[4] = {pick(0, 40), pick(0, 9), pick(0, 100), pick(-20, 20)};
    auto valueOf = [&](const Symbol &s) {
      return s.kind == SymbolKind::ThreadIdx  ? values[s.dimension]
             : s.kind == SymbolKind::BlockIdx ? values[2]
                                              : values[3];
    };
    Polynomial leaves[4] = {tx, ty, bx, n};
    Polynomial form(pick(-5, 5));
    int64_t number = form.constantTerm();
    for (int step = pick(1, 6); step > 0; --step) {
      int leaf = pick(0, 3), factor = pick(-4, 4);
      switch (pick(0, 3)) {
      case 0: form = form + leaves[leaf] * factor, number += values[leaf] * factor; break;
      case 1: form = form - leaves[leaf] * leaves[leaf ^ 1], number -= values[leaf] * values[leaf ^ 1]; break;
      case 2: form = form * Polynomial(factor), number *= factor; break;
      case 3: {
        int divisor = pick(1, 9);
        form = floorDivide(form, divisor, table), number = floorDivide(number, divisor);
      }
      }
    }
    ASSERT_EQ(form.evaluate(valueOf), number) << form.str();
  }
}

} // namespace
