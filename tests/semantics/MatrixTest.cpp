// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "semantics/Matrix.h"

#include "Random.h"
#include "semantics/Convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace heddle::semantics {
namespace {

// --- layouts, written out shape by shape as the ISA's figures give them
// -----------------------------------------------------

/// Element i of a lane's fragment, counted over all its registers.
Place byTheFigureA(MmaShape s, Element t, int lane, int i) {
  int group = lane >> 2, in = lane % 4;
  if (t == Element::F64 && s.m == 8)
    return {group, in};
  if (t == Element::F16 && s == MmaShape{16, 8, 8})
    return {i < 2 ? group : group + 8, in * 2 + (i & 1)};
  if (t == Element::F16 && s == MmaShape{16, 8, 16})
    return {i < 2 || (i >= 4 && i < 6) ? group : group + 8, in * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
  if (t == Element::TF32 && s.k == 4)
    return {i == 0 ? group : group + 8, in};
  if (t == Element::TF32 && s.k == 8)
    return {i == 0 || i == 2 ? group : group + 8, i < 2 ? in : in + 4};
  if (t == Element::S8 && s.m == 8)
    return {group, in * 4 + i};
  if (t == Element::S8 && s.k == 16)
    return {i < 4 ? group : group + 8, in * 4 + (i & 3)};
  if (t == Element::S8 && s.k == 32)
    return {i < 4 || (i >= 8 && i < 12) ? group : group + 8, in * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  if (t == Element::S4 && s.m == 8)
    return {group, in * 8 + i};
  if (t == Element::S4 && s.k == 32)
    return {i < 8 ? group : group + 8, in * 8 + (i & 7)};
  return {i < 8 || (i >= 16 && i < 24) ? group : group + 8, in * 8 + (i & 7) + (i >= 16 ? 32 : 0)}; // s4 k64
}
Place byTheFigureB(MmaShape s, Element t, int lane, int i) {
  int group = lane >> 2, in = lane % 4;
  switch (t) {
  case Element::F64: return {in, group};
  case Element::F16: return {in * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
  case Element::TF32: return {i == 0 ? in : in + 4, group};
  case Element::S8: return {in * 4 + (i & 3) + (i >= 4 ? 16 : 0), group};
  default: return {in * 8 + (i & 7) + (i >= 8 ? 32 : 0), group};
  }
  (void)s;
}

const std::vector<std::pair<MmaShape, Element>> shapes = {
    {{8, 8, 4}, Element::F64},   {{16, 8, 8}, Element::F16},  {{16, 8, 16}, Element::F16},
    {{16, 8, 4}, Element::TF32}, {{16, 8, 8}, Element::TF32}, {{8, 8, 16}, Element::S8},
    {{16, 8, 16}, Element::S8},  {{16, 8, 32}, Element::S8},  {{8, 8, 32}, Element::S4},
    {{16, 8, 32}, Element::S4},  {{16, 8, 64}, Element::S4},
};

TEST(Matrix, FragmentsLieWhereTheFiguresSay) {
  for (auto [shape, type] : shapes)
    for (int lane = 0; lane < 32; ++lane) {
      int per = elementsPerRegister(type);
      for (int i = 0; i < registersOfA(shape, type) * per; ++i)
        EXPECT_EQ(placeInA(lane, i / per, i % per, per), byTheFigureA(shape, type, lane, i))
            << shape.k << " " << lane << " " << i;
      for (int i = 0; i < registersOfB(shape, type) * per; ++i)
        EXPECT_EQ(placeInB(lane, i / per, i % per, per), byTheFigureB(shape, type, lane, i))
            << shape.k << " " << lane << " " << i;
      for (int i = 0; i < shape.m * shape.n / 32; ++i)
        EXPECT_EQ(placeInC(lane, i), (Place{(lane >> 2) + (i >= 2 ? 8 : 0), (lane % 4) * 2 + (i & 1)}));
    }
}

TEST(Matrix, EveryElementHasExactlyOneHolder) {
  for (auto [shape, type] : shapes) {
    std::set<std::pair<int, int>> a, b;
    int per = elementsPerRegister(type);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < registersOfA(shape, type) * per; ++i)
        a.emplace(placeInA(lane, i / per, i % per, per).row, placeInA(lane, i / per, i % per, per).column);
      for (int i = 0; i < registersOfB(shape, type) * per; ++i)
        b.emplace(placeInB(lane, i / per, i % per, per).row, placeInB(lane, i / per, i % per, per).column);
    }
    EXPECT_EQ(a.size(), size_t(shape.m * shape.k));
    EXPECT_EQ(b.size(), size_t(shape.k * shape.n));
    EXPECT_EQ(a.rbegin()->first, shape.m - 1);
    EXPECT_EQ(b.rbegin()->first, shape.k - 1);
  }
  for (bool rowMajor : {false, true})
    for (int pair = 0; pair < 4; ++pair) {
      std::set<std::pair<int, int>> a, c;
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 8 && quadPair(lane) == pair; ++i) {
          if (i < 4)
            a.emplace(placeInQuadA(lane, i, rowMajor).row, placeInQuadA(lane, i, rowMajor).column);
          c.emplace(placeInQuadC(lane, i, rowMajor).row, placeInQuadC(lane, i, rowMajor).column);
        }
      EXPECT_EQ(a.size(), 32u);
      EXPECT_EQ(c.size(), 64u);
    }
}

// --- products: random matrices scattered by the figures, multiplied here, compared element by element
// -----------------------

struct Operands {
  std::vector<std::vector<int>> a, b, c;
};
Operands randomOperands(MmaShape s, int limit, bool isSigned, Random &random) {
  auto draw = [&](int limitOf) {
    return int(random.below(uint64_t(limitOf))) - (isSigned ? limitOf / 2 : 0);
  };
  Operands o;
  o.a.assign(size_t(s.m), std::vector<int>(size_t(s.k)));
  o.b.assign(size_t(s.k), std::vector<int>(size_t(s.n)));
  o.c.assign(size_t(s.m), std::vector<int>(size_t(s.n)));
  for (auto *matrix : {&o.a, &o.b})
    for (auto &row : *matrix)
      for (int &x : row)
        x = draw(limit);
  for (auto &row : o.c)
    for (int &x : row)
      x = int(random.below(200)) - 100;
  return o;
}

uint64_t encode(int value, Element type) {
  switch (type) {
  case Element::F64: return bitsOfDouble(value);
  case Element::TF32:
  case Element::F32: return bitsOfFloat(float(value));
  case Element::F16: return convertFloat<Half>(float(value)).bits;
  case Element::BF16: return convertFloat<BFloat16>(float(value)).bits;
  case Element::S8:
  case Element::U8: return uint8_t(value);
  case Element::S4:
  case Element::U4: return uint64_t(value) & 0xf;
  default: return uint32_t(value);
  }
}
Element figureType(Element type) {
  return type == Element::BF16 ? Element::F16
         : type == Element::U8 ? Element::S8
         : type == Element::U4 ? Element::S4
                               : type;
}

void checkProduct(const MmaKind &kind, int limit, bool isSigned) {
  ASSERT_TRUE(supportsMma(kind));
  Random random;
  const MmaShape s = kind.shape;
  Operands o = randomOperands(s, limit, isSigned, random);
  std::vector<WarpRegister> a(8), b(8), c(8), d(8);
  auto scatter = [&](std::vector<WarpRegister> &registers, Element type, int lane, int i, int value) {
    int per = elementsPerRegister(type);
    registers[size_t(i / per)][size_t(lane)] |= encode(value, type) << (i % per * (32 / per)) % 64;
  };
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < s.m * s.k / 32; ++i) {
      Place p = byTheFigureA(s, figureType(kind.a), lane, i);
      scatter(a, kind.a, lane, i, o.a[size_t(p.row)][size_t(p.column)]);
    }
    for (int i = 0; i < s.k * s.n / 32; ++i) {
      Place p = byTheFigureB(s, figureType(kind.b), lane, i);
      scatter(b, kind.b, lane, i, o.b[size_t(p.row)][size_t(p.column)]);
    }
    for (int i = 0; i < s.m * s.n / 32; ++i)
      scatter(c, kind.accumulator, lane, i,
              o.c[size_t((lane >> 2) + (i >= 2 ? 8 : 0))][size_t((lane % 4) * 2 + (i & 1))]);
  }
  mmaSync(kind, a.data(), b.data(), c.data(), d.data());
  int per = elementsPerRegister(kind.accumulator);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < s.m * s.n / 32; ++i) {
      size_t row = size_t((lane >> 2) + (i >= 2 ? 8 : 0)), column = size_t((lane % 4) * 2 + (i & 1));
      int sum = o.c[row][column];
      for (size_t k = 0; k < size_t(s.k); ++k)
        sum += o.a[row][k] * o.b[k][column];
      uint64_t got = d[size_t(i / per)][size_t(lane)] >> (i % per * (32 / per));
      uint64_t mask = kind.accumulator == Element::F16 ? 0xffff : ~uint64_t(0);
      ASSERT_EQ(got & mask, encode(sum, kind.accumulator))
          << "lane " << lane << " value " << i << " " << random.trace();
    }
}

TEST(Matrix, ProductsOfEveryShapeAreExactOnSmallIntegers) {
  for (auto [shape, type] : shapes) {
    SCOPED_TRACE(testing::Message() << "m" << shape.m << "n" << shape.n << "k" << shape.k << " type "
                                    << int(type));
    Element accumulator = type == Element::F64                         ? Element::F64
                          : type == Element::S8 || type == Element::S4 ? Element::S32
                                                                       : Element::F32;
    checkProduct({shape, type, type, accumulator}, 16, true);
    if (type == Element::F16) {
      checkProduct({shape, Element::BF16, Element::BF16, Element::F32}, 16, true);
      checkProduct({shape, type, type, Element::F16}, 8, true);
    }
    if (type == Element::S8)
      checkProduct({shape, Element::U8, Element::U8, Element::S32}, 256, false);
    if (type == Element::S4)
      checkProduct({shape, Element::U4, Element::U4, Element::S32}, 16, false);
  }
}

TEST(Matrix, IntegerSumsWrapOrSaturate) {
  std::vector<WarpRegister> a(1), b(1), c(2), d(2);
  a[0].fill(0x01010101), b[0].fill(0x01010101);
  c[0].fill(uint32_t(INT32_MAX)), c[1].fill(uint32_t(INT32_MAX) - 16);
  MmaKind kind{{8, 8, 16}, Element::S8, Element::S8, Element::S32};
  mmaSync(kind, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[0][0], 0x8000000fu);
  EXPECT_EQ(d[1][31], 0x7fffffffu);
  kind.saturate = true;
  mmaSync(kind, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[0][5], 0x7fffffffu);
}

TEST(Matrix, Tf32ReadsTheUpperNineteenBits) {
  std::vector<WarpRegister> a(2), b(1), c(4), d(4);
  a[0].fill(0x3f801fff), a[1].fill(0x3f801fff), b[0].fill(bitsOfFloat(1.0f));
  mmaSync({{16, 8, 4}, Element::TF32, Element::TF32, Element::F32}, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(d[0][0], bitsOfFloat(4.0f));
}

TEST(Matrix, SumsOfHalvesAreRoundedOnce) {
  // 2^11 + 2^-12 + ... : each small product alone would vanish beside the large one in f32 summed pairwise to
  // f16 steps.
  std::vector<WarpRegister> a(4), b(2), c(4), d(4);
  for (auto &reg : a)
    reg.fill(0x3c003c00); // ones
  for (auto &reg : b)
    reg.fill(0x0c000c00); // 2^-12
  c[0].fill(bitsOfFloat(0x1p15f));
  mmaSync({{16, 8, 16}, Element::F16, Element::F16, Element::F32}, a.data(), b.data(), c.data(), d.data());
  EXPECT_EQ(floatOf(uint32_t(d[0][0])), 0x1p15f + 16 * 0x1p-12f);
  EXPECT_EQ(floatOf(uint32_t(d[1][0])), 16 * 0x1p-12f);
}

TEST(Matrix, UnknownKindsAreNotClaimed) {
  EXPECT_FALSE(supportsMma({{16, 8, 8}, Element::F16, Element::BF16, Element::F32}));
  EXPECT_FALSE(supportsMma({{16, 16, 16}, Element::F16, Element::F16, Element::F32}));
  EXPECT_FALSE(supportsMma({{16, 8, 16}, Element::BF16, Element::BF16, Element::F16}));
  EXPECT_TRUE(supportsMma({{16, 8, 32}, Element::S8, Element::U8, Element::S32}));
}

TEST(Matrix, QuadPairProductsAreIndependent) {
  for (int mask = 0; mask < 16; ++mask) {
    const bool aRow = mask & 1, bRow = mask & 2, cWide = mask & 4, dWide = mask & 8;
    int A[4][8][4], B[4][4][8], C[4][8][8];
    Random random;
    auto fill = [&](auto &matrix) {
      for (auto &rows : matrix)
        for (auto &row : rows)
          for (int &x : row)
            x = int(random.below(9)) - 4;
    };
    fill(A), fill(B), fill(C);
    std::vector<WarpRegister> a(2), b(2), c(8), d(8);
    for (int lane = 0; lane < 32; ++lane) {
      const int pair = lane / 4 % 4, up = lane < 16 ? 0 : 4;
      for (int i = 0; i < 4; ++i) {
        int x = aRow ? A[pair][lane % 4 + up][i] : A[pair][i + up][lane % 4];
        int y = bRow ? B[pair][lane % 4][i + up] : B[pair][i][lane % 4 + up];
        a[size_t(i / 2)][size_t(lane)] |= encode(x, Element::F16) << 16 * (i % 2);
        b[size_t(i / 2)][size_t(lane)] |= encode(y, Element::F16) << 16 * (i % 2);
      }
      for (int i = 0; i < 8; ++i)
        if (cWide)
          c[size_t(i)][size_t(lane)] =
              encode(C[pair][(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)], Element::F32);
        else
          c[size_t(i / 2)][size_t(lane)] |= encode(C[pair][lane % 4 + up][i], Element::F16) << 16 * (i % 2);
    }
    mmaSyncQuad(aRow, bRow, cWide, dWide, a.data(), b.data(), c.data(), d.data());
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {
        const int pair = lane / 4 % 4, up = lane < 16 ? 0 : 4;
        int row = dWide ? (lane & 1) + (i & 2) + up : lane % 4 + up,
            column = dWide ? (i & 4) + (lane & 2) + (i & 1) : i;
        int sum = C[pair][row][column];
        for (int k = 0; k < 4; ++k)
          sum += A[pair][row][k] * B[pair][k][column];
        uint64_t got =
            dWide ? d[size_t(i)][size_t(lane)] : d[size_t(i / 2)][size_t(lane)] >> 16 * (i % 2) & 0xffff;
        ASSERT_EQ(got, encode(sum, dWide ? Element::F32 : Element::F16)) << mask << " " << lane << " " << i;
      }
  }
}

TEST(Matrix, TransposeMovesEveryElement) {
  WarpRegister a{};
  for (int lane = 0; lane < 32; ++lane) { // element (row, column) holds 8 * row + column
    uint64_t low = uint64_t(lane / 4 * 8 + lane % 4 * 2);
    a[size_t(lane)] = low | (low + 1) << 16;
  }
  WarpRegister t = transpose8x8(a);
  for (int lane = 0; lane < 32; ++lane)
    for (int half = 0; half < 2; ++half) {
      int row = lane / 4, column = lane % 4 * 2 + half;
      EXPECT_EQ(t[size_t(lane)] >> 16 * half & 0xffff, uint64_t(8 * column + row));
      EXPECT_EQ(placeInMatrix8x8(lane, half, false), (Place{row, column}));
      EXPECT_EQ(placeInMatrix8x8(lane, half, true), (Place{column, row}));
    }
  EXPECT_EQ(transpose8x8(t), a);
  EXPECT_EQ(addressLane(3, 5), 29);
}

} // namespace
} // namespace heddle::semantics
