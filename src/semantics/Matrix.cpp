// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "semantics/Matrix.h"

#include "semantics/Convert.h"
#include "semantics/Integer.h"

#include <algorithm>
#include <iterator>

namespace heddle::semantics {

namespace {

/// Large enough for every shape: m and n up to 16, k up to 64.
template <class T> struct Dense {
  T at[16][64] = {};
};

/// The shapes and types that mma.sync supports for row.col operands.
struct Supported {
  MmaShape shape;
  enum Family { Double, Tf32, Halves, Bytes, Nibbles } family;
};
constexpr Supported supportedShapes[] = {
    {{8, 8, 4}, Supported::Double},    {{16, 8, 4}, Supported::Double},   {{16, 8, 8}, Supported::Double},
    {{16, 8, 16}, Supported::Double},  {{16, 8, 4}, Supported::Tf32},     {{16, 8, 8}, Supported::Tf32},
    {{16, 8, 8}, Supported::Halves},   {{16, 8, 16}, Supported::Halves},  {{8, 8, 16}, Supported::Bytes},
    {{16, 8, 16}, Supported::Bytes},   {{16, 8, 32}, Supported::Bytes},   {{8, 8, 32}, Supported::Nibbles},
    {{16, 8, 32}, Supported::Nibbles}, {{16, 8, 64}, Supported::Nibbles},
};

Supported::Family familyOf(Element type) {
  switch (type) {
  case Element::F64: return Supported::Double;
  case Element::TF32: return Supported::Tf32;
  case Element::F16:
  case Element::BF16: return Supported::Halves;
  case Element::S4:
  case Element::U4: return Supported::Nibbles;
  default: return Supported::Bytes;
  }
}

bool typesAgree(const MmaKind &kind) {
  switch (kind.a) {
  case Element::F64: return kind.b == kind.a && kind.accumulator == Element::F64;
  case Element::TF32:
  case Element::BF16: return kind.b == kind.a && kind.accumulator == Element::F32;
  case Element::F16:
    return kind.b == kind.a && (kind.accumulator == Element::F32 || kind.accumulator == Element::F16);
  case Element::S8:
  case Element::U8:
  case Element::S4:
  case Element::U4: return familyOf(kind.b) == familyOf(kind.a) && kind.accumulator == Element::S32;
  default: return false;
  }
}

bool isInteger(Element type) {
  return familyOf(type) == Supported::Bytes || familyOf(type) == Supported::Nibbles;
}

int64_t integerElement(uint64_t reg, int element, Element type) {
  switch (type) {
  case Element::S8: return int8_t(reg >> (8 * element));
  case Element::U8: return uint8_t(reg >> (8 * element));
  case Element::S4: return int8_t(uint8_t(reg >> (4 * element)) << 4) >> 4;
  case Element::U4: return int64_t(reg >> (4 * element) & 0xf);
  default: return int32_t(reg);
  }
}

double realElement(uint64_t reg, int element, Element type) {
  switch (type) {
  case Element::F64: return doubleOf(reg);
  // The hardware reads the upper 19 bits of the register and ignores the rest.
  case Element::TF32: return double(floatOf(uint32_t(reg) & 0xffffe000u));
  case Element::F16: return toDouble(Half{uint16_t(reg >> (16 * element))});
  case Element::BF16: return toDouble(BFloat16{uint16_t(reg >> (16 * element))});
  default: return double(floatOf(uint32_t(reg)));
  }
}

/// Collects a matrix from the lanes' registers; `place` returns the position of an element, `read` its value.
template <class T, class PlaceOf, class Read>
Dense<T> gather(const WarpRegister *registers, int count, int perRegister, PlaceOf place, Read read) {
  Dense<T> matrix;
  for (int reg = 0; reg < count; ++reg)
    for (int element = 0; element < perRegister; ++element)
      for (int lane = 0; lane < WarpLanes; ++lane) {
        Place p = place(lane, reg, element);
        matrix.at[p.row][p.column] = read(registers[reg][size_t(lane)], element);
      }
  return matrix;
}

/// A or B as a dense matrix, B with its columns as rows so that both are traversed along k.
template <class T, class Read>
Dense<T> gatherOperand(const MmaKind &kind, const WarpRegister *registers, bool isA, Read read) {
  const Element type = isA ? kind.a : kind.b;
  const int per = elementsPerRegister(type);
  const int count = isA ? registersOfA(kind.shape, type) : registersOfB(kind.shape, type);
  auto place = [&](int lane, int reg, int element) {
    Place inB = placeInB(lane, reg, element, per);
    return isA ? placeInA(lane, reg, element, per) : Place{inB.column, inB.row};
  };
  return gather<T>(registers, count, per, place,
                   [&](uint64_t reg, int element) { return T(read(reg, element, type)); });
}

/// The dot product of two rows, added to c by ascending k.
int64_t dot(int64_t c, const int64_t *a, const int64_t *b, int k) {
  for (int step = 0; step < k; ++step)
    c += a[step] * b[step];
  return c;
}
double dot(double c, const double *a, const double *b, int k, bool fused) {
  for (int step = 0; step < k; ++step)
    c = fused ? fma(a[step], b[step], c) : c + a[step] * b[step];
  return c;
}

/// Writes one value of the accumulator to its position in a register.
void store(WarpRegister *d, int lane, int value, double sum, Element type) {
  uint64_t &low = d[type == Element::F16 ? value / 2 : value][size_t(lane)];
  if (type == Element::F64)
    low = bitsOfDouble(sum);
  else if (type == Element::F32)
    low = bitsOfFloat(convertFloat<float>(sum));
  else if (value % 2 == 0)
    low = convertFloat<Half>(sum).bits;
  else
    low |= uint64_t(convertFloat<Half>(sum).bits) << 16;
}

double load(const WarpRegister *c, int lane, int value, Element type) {
  const int per = elementsPerRegister(type);
  return realElement(c[value / per][size_t(lane)], value % per, type);
}

} // namespace

bool supportsMma(const MmaKind &kind) {
  return typesAgree(kind) &&
         std::any_of(std::begin(supportedShapes), std::end(supportedShapes), [&](const Supported &s) {
           return s.shape == kind.shape && s.family == familyOf(kind.a);
         });
}

void mmaSync(const MmaKind &kind, const WarpRegister *a, const WarpRegister *b, const WarpRegister *c,
             WarpRegister *d) {
  const int values = kind.shape.m * kind.shape.n / WarpLanes, k = kind.shape.k;
  if (isInteger(kind.a)) {
    auto matrixA = gatherOperand<int64_t>(kind, a, true, integerElement);
    auto matrixB = gatherOperand<int64_t>(kind, b, false, integerElement);
    for (int value = 0; value < values; ++value)
      for (int lane = 0; lane < WarpLanes; ++lane) {
        Place p = placeInC(lane, value);
        int64_t sum = dot(int32_t(c[value][size_t(lane)]), matrixA.at[p.row], matrixB.at[p.column], k);
        d[value][size_t(lane)] = uint32_t(kind.saturate ? saturateTo<int32_t>(sum) : int32_t(sum));
      }
    return;
  }
  auto matrixA = gatherOperand<double>(kind, a, true, realElement);
  auto matrixB = gatherOperand<double>(kind, b, false, realElement);
  for (int value = 0; value < values; ++value)
    for (int lane = 0; lane < WarpLanes; ++lane) {
      Place p = placeInC(lane, value);
      double sum = dot(load(c, lane, value, kind.accumulator), matrixA.at[p.row], matrixB.at[p.column], k,
                       kind.a == Element::F64);
      store(d, lane, value, sum, kind.accumulator);
    }
}

void mmaSyncQuad(bool aRowMajor, bool bRowMajor, bool cIsF32, bool dIsF32, const WarpRegister *a,
                 const WarpRegister *b, const WarpRegister *c, WarpRegister *d) {
  const Element cType = cIsF32 ? Element::F32 : Element::F16, dType = dIsF32 ? Element::F32 : Element::F16;
  double matrixA[4][8][4], matrixB[4][8][4], matrixC[4][8][8];
  for (int lane = 0; lane < WarpLanes; ++lane) {
    const int product = quadPair(lane);
    for (int i = 0; i < 4; ++i) {
      Place inA = placeInQuadA(lane, i, aRowMajor), inB = placeInQuadB(lane, i, bRowMajor);
      matrixA[product][inA.row][inA.column] = load(a, lane, i, Element::F16);
      matrixB[product][inB.column][inB.row] = load(b, lane, i, Element::F16);
    }
    for (int i = 0; i < 8; ++i) {
      Place inC = placeInQuadC(lane, i, cIsF32);
      matrixC[product][inC.row][inC.column] = load(c, lane, i, cType);
    }
  }
  for (int lane = 0; lane < WarpLanes; ++lane)
    for (int i = 0, product = quadPair(lane); i < 8; ++i) {
      Place p = placeInQuadC(lane, i, dIsF32);
      double sum = dot(matrixC[product][p.row][p.column], matrixA[product][p.row], matrixB[product][p.column],
                       4, false);
      store(d, lane, i, sum, dType);
    }
}

WarpRegister transpose8x8(const WarpRegister &a) {
  WarpRegister result{};
  for (int lane = 0; lane < WarpLanes; ++lane)
    for (int half = 0; half < 2; ++half) {
      Place from = placeInMatrix8x8(lane, half, /*transposed=*/true);
      uint64_t source = a[size_t(from.row * 4 + from.column / 2)];
      result[size_t(lane)] |= (source >> (16 * (from.column % 2)) & 0xffff) << (16 * half);
    }
  return result;
}

} // namespace heddle::semantics
