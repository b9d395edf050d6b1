// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Shapes.h"

#include "flow/Builder.h"

#include <gtest/gtest.h>

namespace heddle::flow {
namespace {

/// x and y; three products of them that go into two sums, and a fourth that reads the first sum.
struct Products {
  Builder b;
  unsigned field = b.addField("x", 2), first = b.addSum("first"), second = b.addSum("second");
  Expr x = 0.0, y = 0.0;

  Products() {
    b.begin("x");
    x = b.load(field, 0);
    b.begin("y");
    y = b.load(field, 1);
  }

  void product(double factor, const Expr &value, unsigned sum) {
    b.begin("product");
    b.add(sum, 1, exp2(value * factor));
  }
};

std::vector<size_t> sizes(const Shapes &shapes) {
  std::vector<size_t> all;
  for (const Shape &shape : shapes.all)
    all.push_back(shape.members.size());
  return all;
}

TEST(Shapes, ConstantsAndInputsDoNotMatter) {
  Products p;
  p.product(2, p.x, p.first);
  p.product(3, p.y, p.second);
  p.product(5, p.y, p.first);
  const Shapes shapes = findShapes(p.b.finish());
  ASSERT_EQ(sizes(shapes), (std::vector<size_t>{2, 3}));
  const Member &last = shapes.all[1].members[2];
  EXPECT_EQ(last.constants, std::vector<double>{5});
  ASSERT_EQ(last.reads.size(), 1u);
  EXPECT_EQ(last.reads[0], shapes.all[1].members[1].reads[0]);
  EXPECT_NE(last.reads[0], shapes.all[1].members[0].reads[0]);
}

TEST(Shapes, OtherOperationsAreOtherShapes) {
  Products p;
  p.product(2, p.x, p.first);
  p.b.begin("sum");
  p.b.add(p.first, 1, exp2(p.x + 2.0));
  EXPECT_EQ(findShapes(p.b.finish()).all.size(), 3u);
}

TEST(Shapes, WhatReadsASumComesAfterAllOfItsTerms) {
  Products p;
  p.product(2, p.x, p.first);
  p.product(3, p.y, p.first);
  p.b.begin("total");
  p.b.add(p.second, 1, p.b.total(p.first) * p.x);
  const Shapes shapes = findShapes(p.b.finish());
  EXPECT_EQ(shapes.all.back().level, 2u);
  EXPECT_EQ(shapes.readAt[p.first], 2u);
  EXPECT_EQ(shapes.readAt[p.second], std::nullopt);
}

TEST(Shapes, WhatIsNotNeededIsLeftOut) {
  Products p;
  p.b.begin("idle");
  (void)exp2(p.x);
  p.product(2, p.y, p.first);
  const Shapes shapes = findShapes(p.b.finish());
  EXPECT_EQ(sizes(shapes), (std::vector<size_t>{1, 1}));
}

} // namespace
} // namespace heddle::flow
