// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the symbolic walk that take and return values, without a walk.
#include "KernelText.h"
#include "analysis/walk/Arithmetic.h"
#include "analysis/walk/Join.h"
#include "analysis/walk/LoopSummary.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <gmock/gmock.h>

namespace heddle::analysis::walk {
namespace {

Loop countingLoop(Affine start, int64_t step, std::string comparison, Affine bound) {
  Loop loop;
  loop.start = std::move(start);
  loop.step = step;
  loop.comparison = std::move(comparison);
  loop.bound = std::move(bound);
  return loop;
}

TEST(TripCount, CountsUpAndDown) {
  EXPECT_EQ(tripCount(countingLoop(0, 2, "<", 7), true), 4);
  EXPECT_EQ(tripCount(countingLoop(0, 2, "<=", 8), true), 5);
  EXPECT_EQ(tripCount(countingLoop(10, -2, ">=", 2), true), 5);
  EXPECT_EQ(tripCount(countingLoop(10, -3, ">", 1), true), 3);
}

TEST(TripCount, NeedsABoundThatIsReached) {
  EXPECT_EQ(tripCount(countingLoop(0, 2, "!=", 8), true), 4);
  EXPECT_EQ(tripCount(countingLoop(0, 2, "!=", 7), true), std::nullopt);
  EXPECT_EQ(tripCount(countingLoop(0, 1, ">", 8), true), std::nullopt);
  EXPECT_EQ(tripCount(countingLoop(0, 0, "<", 8), true), std::nullopt);
}

TEST(TripCount, IsAtLeastOneWhereTheTestComesLast) {
  EXPECT_EQ(tripCount(countingLoop(8, 1, "<", 8), true), 0);
  EXPECT_EQ(tripCount(countingLoop(8, 1, "<", 8), false), 1);
  EXPECT_EQ(tripCount(countingLoop(8, 1, "!=", 8), false), std::nullopt);
}

TEST(TripCount, NeedsOnlyTheDistance) {
  SymbolTable symbols;
  const Polynomial n(symbols.parameter("n", false));
  EXPECT_EQ(tripCount(countingLoop(n, 1, "<", n + Polynomial(8)), true), 8);
}

/// A kernel with one integer, for the types and places of values.
class WalkValues : public ::testing::Test {
protected:
  Value of(Polynomial form) { return {std::move(form), std::nullopt, nullptr}; }
  Value thread() { return of(Polynomial(symbols.threadIdx(0))); }
  Value parameter() { return of(Polynomial(symbols.parameter("n", false))); }
  std::string result(clang::BinaryOperatorKind op, const Value &left, const Value &right) {
    const auto *body = llvm::cast<clang::CompoundStmt>(text.kernel().function->getBody());
    const auto *at = llvm::cast<clang::Expr>(body->body_front());
    return arithmetic(op, left, right, at->getType(), at, scope).integer.str();
  }

  KernelText text{"__global__ void k() { 1; }"};
  LaunchFacts facts;
  SymbolTable symbols;
  ValueScope scope{*text.unit, facts, symbols};
  ArrayTable arrays{text.unit->context(), facts};
};

TEST_F(WalkValues, DivideRoundingDown) {
  EXPECT_EQ(result(clang::BO_Div, thread(), of(32)), "floor((threadIdx.x)/32)");
  EXPECT_EQ(result(clang::BO_Div, of(-7), of(2)), "-3"); // C++ rounds to zero
  EXPECT_EQ(result(clang::BO_Shr, of(-7), of(1)), "-4"); // a shift does not
}

TEST_F(WalkValues, NameAValueWithoutAFormThatAllThreadsAgreeOn) {
  EXPECT_EQ(result(clang::BO_Div, parameter(), of(2)), "(n / 2)");
  EXPECT_THAT(result(clang::BO_Div, thread(), parameter()), ::testing::HasSubstr("which is no constant"));
}

TEST_F(WalkValues, MaskBits) {
  EXPECT_EQ(result(clang::BO_And, thread(), of(31)), "threadIdx.x - 32*floor((threadIdx.x)/32)");
  EXPECT_EQ(result(clang::BO_And, thread(), of(0)), "0");
  EXPECT_THAT(result(clang::BO_And, thread(), of(5)),
              ::testing::HasSubstr("not one run of low or high bits"));
}

TEST_F(WalkValues, JoinToASymbolWhereAllThreadsTakeTheSameWay) {
  const Environment::Key key{nullptr, "v"};
  const SourceLocation location{.line = 7};
  auto join = [&](const Value &left, const Value &right, const Value &decidedBy) {
    return joined(key, left, right, Condition::compare(*decidedBy.integer, ">", Polynomial(3)), location,
                  arrays, scope)
        .integer.str();
  };
  EXPECT_EQ(join(of(4), of(4), thread()), "4");
  EXPECT_EQ(join(of(4), of(5), parameter()), "v@7");
  EXPECT_THAT(join(of(4), of(5), thread()), ::testing::HasSubstr("two definitions of 'v' reach"));
}

TEST(LoopChanges, FindWhatHappensOnceInEachIteration) {
  KernelText text(
      "__global__ void k(int n) { int a = 0, b = 0, c = 0;"
      "  for (int i = 0; i < n; ++i) { int own = i; a += own; if (n > 3) b = i; c >>= 1; if (b) break; } }");
  const auto *body = llvm::cast<clang::CompoundStmt>(text.kernel().function->getBody());
  const auto *loop = llvm::cast<clang::ForStmt>(body->body_back());
  const LoopChanges changes =
      changesIn({loop, loop->getBody(), loop->getCond(), loop->getInc()}, {}, text.unit->sources());
  EXPECT_TRUE(changes.hasExit);
  std::map<std::string, std::vector<Modification>> byName;
  for (const auto &[key, list] : changes.modified)
    byName[key.first->getNameAsString()] = list;
  ASSERT_EQ(byName.size(), 4u); // not `own`, which is set again in each iteration
  EXPECT_TRUE(byName["a"][0].isTopLevel);
  EXPECT_TRUE(byName["i"][0].isTopLevel);
  EXPECT_FALSE(byName["b"][0].isTopLevel);
  EXPECT_EQ(byName["b"][0].conditions.size(), 1u);
  EXPECT_EQ(growthOf(byName["c"]), -1);
  EXPECT_EQ(growthOf(byName["a"]), 0);
}

} // namespace
} // namespace heddle::analysis::walk
