// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::wmma for 16x16x16 tiles of half or bfloat16 with half or float sums, on the mma.sync m16n8k16
// instruction: a 16x16 product is two of those side by side. What a fragment holds where is an implementation
// detail, so fragments are laid out as that instruction wants its operands.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  static_assert(M == 16 && N == 16 && K == 16, "wmma without the toolkit has 16x16x16 tiles only");
  static constexpr int num_elements = 8;
  using element_type = T;
  T x[8];
};

namespace heddle {

HEDDLE_DEVICE int lane() { return (int)__nvvm_read_ptx_sreg_laneid(); }

// Where element e of a lane's eight is, as mma.sync m16n8k16 lays its operands out: a lane holds pairs of
// neighbours; which pair is (lane % 4), which line is (lane / 4).
struct Place {
  int row, column;
};
// A: registers 0..3 hold (line, pair), (line + 8, pair), (line, pair + 8), (line + 8, pair + 8).
HEDDLE_DEVICE Place placeInA(int e) {
  return {lane() / 4 + (e / 2 % 2) * 8, lane() % 4 * 2 + e % 2 + (e / 4) * 8};
}
// B: lines run along the columns. Elements 0..3 belong to columns 0..7, 4..7 to columns 8..15.
HEDDLE_DEVICE Place placeInB(int e) {
  return {lane() % 4 * 2 + e % 2 + (e / 2 % 2) * 8, lane() / 4 + (e / 4) * 8};
}
// Sums: (line, pair), (line + 8, pair), again with columns 0..7 first.
HEDDLE_DEVICE Place placeInSum(int e) {
  return {lane() / 4 + (e / 2 % 2) * 8, lane() % 4 * 2 + e % 2 + (e / 4) * 8};
}

HEDDLE_DEVICE size_t offset(Place at, unsigned int pitch, bool byRows) {
  return byRows ? (size_t)at.row * pitch + at.column : (size_t)at.column * pitch + at.row;
}

template <class T> HEDDLE_DEVICE unsigned int pair(const T *two) {
  return (unsigned int)two[0].__x | (unsigned int)two[1].__x << 16;
}

#define HEDDLE_MMA(type, ptx)                                                                                \
  HEDDLE_DEVICE void multiply(float *d, const type *a, const type *b, const float *c) {                      \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." ptx "." ptx                                        \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "                                                 \
                 "{%8, %9}, {%10, %11, %12, %13};"                                                           \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                                            \
                 : "r"(pair(a)), "r"(pair(a + 2)), "r"(pair(a + 4)), "r"(pair(a + 6)), "r"(pair(b)),         \
                   "r"(pair(b + 2)), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));                            \
  }
HEDDLE_MMA(__half, "f16")
HEDDLE_MMA(__nv_bfloat16, "bf16")
#undef HEDDLE_MMA

HEDDLE_DEVICE void multiply(__half *d, const __half *a, const __half *b, const __half *c) {
  unsigned int low, high;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
      : "=r"(low), "=r"(high)
      : "r"(pair(a)), "r"(pair(a + 2)), "r"(pair(a + 4)), "r"(pair(a + 6)), "r"(pair(b)), "r"(pair(b + 2)),
        "r"(pair(c)), "r"(pair(c + 2)));
  d[0].__x = (unsigned short)low;
  d[1].__x = (unsigned short)(low >> 16);
  d[2].__x = (unsigned short)high;
  d[3].__x = (unsigned short)(high >> 16);
}

} // namespace heddle

template <class Use, class T, class Layout, class Value>
HEDDLE_DEVICE void fill_fragment(fragment<Use, 16, 16, 16, T, Layout> &to, const Value &value) {
  for (int e = 0; e < to.num_elements; ++e)
    to.x[e] = T(value);
}

template <class Layout> constexpr bool heddleByRows = false;
template <> inline constexpr bool heddleByRows<row_major> = true;

namespace heddle {
// Loads and stores of a matrix begin when all lanes of the warp have come: what a lane stored before is there for the others.
HEDDLE_DEVICE void waitForWarp() { __nvvm_bar_warp_sync(0xffffffffu); }
} // namespace heddle

template <class T, class Layout>
HEDDLE_DEVICE void load_matrix_sync(fragment<matrix_a, 16, 16, 16, T, Layout> &to, const T *from,
                                    unsigned int pitch) {
  heddle::waitForWarp();
  for (int e = 0; e < to.num_elements; ++e)
    to.x[e] = from[heddle::offset(heddle::placeInA(e), pitch, heddleByRows<Layout>)];
}
template <class T, class Layout>
HEDDLE_DEVICE void load_matrix_sync(fragment<matrix_b, 16, 16, 16, T, Layout> &to, const T *from,
                                    unsigned int pitch) {
  heddle::waitForWarp();
  for (int e = 0; e < to.num_elements; ++e)
    to.x[e] = from[heddle::offset(heddle::placeInB(e), pitch, heddleByRows<Layout>)];
}
template <class T>
HEDDLE_DEVICE void load_matrix_sync(fragment<accumulator, 16, 16, 16, T> &to, const T *from,
                                    unsigned int pitch, layout_t layout) {
  heddle::waitForWarp();
  for (int e = 0; e < to.num_elements; ++e)
    to.x[e] = from[heddle::offset(heddle::placeInSum(e), pitch, layout == mem_row_major)];
}
template <class T>
HEDDLE_DEVICE void store_matrix_sync(T *to, const fragment<accumulator, 16, 16, 16, T> &from,
                                     unsigned int pitch, layout_t layout) {
  heddle::waitForWarp();
  for (int e = 0; e < from.num_elements; ++e)
    to[heddle::offset(heddle::placeInSum(e), pitch, layout == mem_row_major)] = from.x[e];
}

/// d = a b + c: the left eight columns, then the right eight.
template <class T, class Sum, class LayoutA, class LayoutB>
HEDDLE_DEVICE void mma_sync(fragment<accumulator, 16, 16, 16, Sum> &d,
                            const fragment<matrix_a, 16, 16, 16, T, LayoutA> &a,
                            const fragment<matrix_b, 16, 16, 16, T, LayoutB> &b,
                            const fragment<accumulator, 16, 16, 16, Sum> &c) {
  heddle::multiply(d.x, a.x, b.x, c.x);
  heddle::multiply(d.x + 4, a.x, b.x + 4, c.x + 4);
}

} // namespace wmma
} // namespace nvcuda
