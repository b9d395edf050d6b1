// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrices that a warp holds in its registers: which lane holds which element (PTX ISA, "Warp-Level Matrix
// Instructions"), and what mma.sync computes.
//
// The layouts of all shapes but Volta's m8n8k4 (f16) follow one rule. Lanes form eight groups of four; W is
// the number of elements in a register (one f64, one tf32, two f16, four 8-bit, eight 4-bit):
//
//     A, register r, element e:   row = group + 8*(r odd)     column = 4W*(r/2) + W*inGroup + e
//     B, register r, element e:   row = 4W*r + W*inGroup + e  column = group
//     C, register r (one value):  row = group + 8*(r/2)       column = 2*inGroup + (r odd)
#pragma once

#include <array>
#include <cstdint>

namespace heddle::semantics {

inline constexpr int WarpLanes = 32;

struct Place {
  int row, column;
  constexpr bool operator==(const Place &) const = default;
};

struct MmaShape {
  int m, n, k;
  constexpr bool operator==(const MmaShape &) const = default;
};

enum class Element : uint8_t { F64, TF32, F16, BF16, S8, U8, S4, U4, F32, S32 };

constexpr int elementsPerRegister(Element type) {
  switch (type) {
  case Element::F16:
  case Element::BF16: return 2;
  case Element::S8:
  case Element::U8: return 4;
  case Element::S4:
  case Element::U4: return 8;
  default: return 1;
  }
}

constexpr Place placeInA(int lane, int reg, int element, int perRegister) {
  return {lane / 4 + 8 * (reg % 2), 4 * perRegister * (reg / 2) + perRegister * (lane % 4) + element};
}
constexpr Place placeInB(int lane, int reg, int element, int perRegister) {
  return {4 * perRegister * reg + perRegister * (lane % 4) + element, lane / 4};
}
/// C and D with one value per register; packed f16 accumulators hold values 2r and 2r+1 in register r.
constexpr Place placeInC(int lane, int value) {
  return {lane / 4 + 8 * (value / 2), 2 * (lane % 4) + value % 2};
}

/// Registers of A, B and C per lane.
constexpr int registersOfA(MmaShape shape, Element type) {
  return shape.m * shape.k / WarpLanes / elementsPerRegister(type);
}
constexpr int registersOfB(MmaShape shape, Element type) {
  return shape.k * shape.n / WarpLanes / elementsPerRegister(type);
}
constexpr int registersOfC(MmaShape shape, Element type) {
  return shape.m * shape.n / WarpLanes / elementsPerRegister(type);
}

/// A register of a warp, its lanes side by side; 32-bit registers use the low half.
using WarpRegister = std::array<uint64_t, WarpLanes>;

struct MmaKind {
  MmaShape shape;
  Element a, b, accumulator;
  bool saturate = false; // .satfinite of the integer forms
};

/// Whether this module computes mma.sync of this kind (row.col layouts).
bool supportsMma(const MmaKind &kind);

/// D = A * B + C. Registers in PTX's order. The order of accumulation, which PTX leaves open: for each
/// element, C first, then the products by ascending k.
///   f64        one fused multiply-add per step, each rounded to nearest
///   tf32, f16, bf16   products exact, summed in double, rounded to the accumulator's type once at the end
///   integers   exact in 64 bits, then wrapped to 32, or clamped with `saturate`
/// The hardware sums f16 products with fewer bits and truncates, so its last bits may differ.
void mmaSync(const MmaKind &kind, const WarpRegister *a, const WarpRegister *b, const WarpRegister *c,
             WarpRegister *d);

// --- mma.m8n8k4 with f16: four independent products, each by the eight lanes of a quad pair
// ---------------------------

/// Which of the four products a lane participates in: lanes 0-3 and 16-19 compute the first, 4-7 and 20-23 the
/// second, ...
constexpr int quadPair(int lane) { return lane / 4 % 4; }
constexpr int upperHalf(int lane) { return lane >= 16 ? 4 : 0; }
/// Element i (0-3) of a lane's A and B, for either layout.
constexpr Place placeInQuadA(int lane, int i, bool rowMajor) {
  return rowMajor ? Place{lane % 4 + upperHalf(lane), i} : Place{i + upperHalf(lane), lane % 4};
}
constexpr Place placeInQuadB(int lane, int i, bool rowMajor) {
  return rowMajor ? Place{lane % 4, i + upperHalf(lane)} : Place{i, lane % 4 + upperHalf(lane)};
}
/// Element i (0-7) of a lane's C: f16 accumulators by rows, f32 ones scattered.
constexpr Place placeInQuadC(int lane, int i, bool f32) {
  return f32 ? Place{(lane & 1) + (i & 2) + upperHalf(lane), (i & 4) + (lane & 2) + (i & 1)}
             : Place{lane % 4 + upperHalf(lane), i};
}
/// A and B have two registers of packed f16; C and D have four (f16) or eight (f32).
void mmaSyncQuad(bool aRowMajor, bool bRowMajor, bool cIsF32, bool dIsF32, const WarpRegister *a,
                 const WarpRegister *b, const WarpRegister *c, WarpRegister *d);

// --- ldmatrix, stmatrix, movmatrix (8x8 matrices of 16-bit elements)
// -----------------------------------------------------

/// The lane whose address is that of a row of matrix 0..3.
constexpr int addressLane(int matrix, int row) { return 8 * matrix + row; }
/// The element of each matrix that a lane holds in its lower (half 0) or upper (half 1) 16 bits.
constexpr Place placeInMatrix8x8(int lane, int half, bool transposed) {
  Place place{lane / 4, 2 * (lane % 4) + half};
  return transposed ? Place{place.column, place.row} : place;
}
/// movmatrix.sync.trans.m8n8.b16.
WarpRegister transpose8x8(const WarpRegister &a);

} // namespace heddle::semantics
