// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation over 32 lanes of operands, for each instruction class: that the right function is applied to
// the right operands in every lane, and only in lanes whose guard holds. The functions themselves are tested
// in tests/semantics.
#include "vm/Runner.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace heddle::vm::test {
namespace {

/// A kernel that loads a, b, c of a lane, executes `body` on %a %b %c into %d, and stores %d.
std::string kernelFor(const std::string &type, unsigned bytes, const std::string &body,
                      const std::string &resultType, unsigned resultBytes) {
  const unsigned shift = bytes == 8   ? 3
                         : bytes == 4 ? 2
                                      : 1,
                 resultShift = resultBytes == 8   ? 3
                               : resultBytes == 4 ? 2
                                                  : 1;
  auto regBits = [](unsigned n) { return std::to_string(n * 8); };
  return ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd) {\n"
         ".reg .b64 %p<8>; .reg .b64 %o; .reg .b64 %q; .reg .b32 %t; .reg .pred %pr<4>; .reg .b32 %x<8>; "
         ".reg .b64 %y<8>;\n"
         ".reg .b16 %h<8>;\n"
         ".reg .b" +
         regBits(bytes) + " %a; .reg .b" + regBits(bytes) + " %b; .reg .b" + regBits(bytes) +
         " %c;\n"
         ".reg .b" +
         regBits(resultBytes) +
         " %d;\n"
         "ld.param.u64 %p0, [pa]; ld.param.u64 %p1, [pb]; ld.param.u64 %p2, [pc]; ld.param.u64 %p3, [pd];\n"
         "mov.u32 %t, %tid.x; cvt.u64.u32 %o, %t; shl.b64 %q, %o, " +
         std::to_string(resultShift) +
         ";\n"
         "shl.b64 %o, %o, " +
         std::to_string(shift) +
         ";\n"
         "add.u64 %p0, %p0, %o; add.u64 %p1, %p1, %o; add.u64 %p2, %p2, %o; add.u64 %p3, %p3, %q;\n"
         "ld.global." +
         type + " %a, [%p0]; ld.global." + type + " %b, [%p1]; ld.global." + type +
         " %c, [%p2];\n"
         "ld.global." +
         resultType + " %d, [%p3];\n" + body + "\nst.global." + resultType + " [%p3], %d;\nret;\n}\n";
}

template <class T> std::string bitType() { return "b" + std::to_string(sizeof(T) * 8); }

template <class T, class D>
void expectLanes(const std::string &body, const std::vector<T> &values, std::function<D(T, T, T)> expected) {
  SCOPED_TRACE(body);
  Runner runner(kernelFor(bitType<T>(), sizeof(T), body, bitType<D>(), sizeof(D)));
  std::vector<T> a(32), b(32), c(32);
  for (size_t i = 0; i < 32; ++i) {
    a[i] = values[i % values.size()];
    b[i] = values[(i * 7 + 3) % values.size()];
    c[i] = values[(i * 5 + 1) % values.size()];
  }
  T *pa = runner.buffer(a), *pb = runner.buffer(b), *pc = runner.buffer(c);
  D *pd = runner.buffer<D>(32);
  runner.run({1}, {32}, pa, pb, pc, pd);
  for (size_t i = 0; i < 32; ++i) {
    D want = expected(a[i], b[i], c[i]);
    EXPECT_EQ(std::memcmp(&want, &pd[i], sizeof(D)), 0)
        << "lane " << i << ": a=" << a[i] << " b=" << b[i] << " c=" << c[i] << " got " << pd[i] << " want "
        << want;
  }
}

const std::vector<uint32_t> Words = {
    0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 12345, 0xdeadbeef};
const std::vector<uint64_t> Longs = {
    0, 1, 63, 64, 0x7fffffffffffffff, 0x8000000000000000, ~uint64_t(0), 0x123456789abcdef0, 1ull << 32};
const std::vector<uint16_t> Shorts = {0, 1, 2, 15, 16, 0x7fff, 0x8000, 0xffff, 0x1234};
const std::vector<float> Floats = {0.0f, -0.0f, 1.0f, -1.5f, 3.25f, 1e30f, -1e-30f, 0.1f, 7.75f, 1e-40f};
const std::vector<double> Doubles = {0.0, -0.0, 1.0, -1.5, 1e300, 1e-300, 0.1, 3.14159};

using U = uint32_t;
using S = int32_t;
using L = uint64_t;

TEST(Arithmetic, IntegersWrapAtTheirWidth) {
  expectLanes<U, U>("add.u32 %d, %a, %b;", Words, [](U a, U b, U) { return a + b; });
  expectLanes<U, U>("sub.s32 %d, %a, %b;", Words, [](U a, U b, U) { return a - b; });
  expectLanes<L, L>("add.s64 %d, %a, %b;", Longs, [](L a, L b, L) { return a + b; });
  expectLanes<uint16_t, uint16_t>("add.u16 %d, %a, %b;", Shorts,
                                  [](uint16_t a, uint16_t b, uint16_t) { return uint16_t(a + b); });
  expectLanes<U, U>("mul.lo.u32 %d, %a, %b;", Words, [](U a, U b, U) { return a * b; });
  expectLanes<U, U>("mul.hi.s32 %d, %a, %b;", Words,
                    [](U a, U b, U) { return U((int64_t(S(a)) * S(b)) >> 32); });
  expectLanes<U, L>("mul.wide.u32 %d, %a, %b;", Words, [](U a, U b, U) { return L(a) * b; });
  expectLanes<U, U>("mad.lo.s32 %d, %a, %b, %c;", Words, [](U a, U b, U c) { return a * b + c; });
  expectLanes<U, U>("neg.s32 %d, %a;", Words, [](U a, U, U) { return 0 - a; });
  expectLanes<U, U>("min.s32 %d, %a, %b;", Words, [](U a, U b, U) { return U(std::min(S(a), S(b))); });
  expectLanes<U, U>("max.u32 %d, %a, 7;", Words, [](U a, U, U) { return std::max(a, 7u); });
  expectLanes<U, U>("add.sat.s32 %d, %a, %b;", Words, [](U a, U b, U) {
    int64_t sum = int64_t(S(a)) + S(b);
    return U(S(std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX)));
  });
}

TEST(Arithmetic, DivisionTruncatesAndRemainderKeepsTheSignOfTheDividend) {
  const std::vector<uint32_t> nonzero = {1, 2, 7, 0xfffffff9, 100, 0x7fffffff, 3};
  expectLanes<U, U>("div.s32 %d, %a, %b;", nonzero, [](U a, U b, U) { return U(S(a) / S(b)); });
  expectLanes<U, U>("rem.s32 %d, %a, %b;", nonzero, [](U a, U b, U) { return U(S(a) % S(b)); });
  expectLanes<U, U>("div.u32 %d, %a, %b;", nonzero, [](U a, U b, U) { return a / b; });
}

TEST(Arithmetic, CarryGoesFromOneInstructionToTheNext) {
  expectLanes<L, L>(
      "mov.b64 {%x0, %x1}, %a; mov.b64 {%x2, %x3}, %b; add.cc.u32 %x4, %x0, %x2; addc.u32 %x5, %x1, %x3; "
      "mov.b64 %d, {%x4, %x5};",
      Longs, [](L a, L b, L) { return a + b; });
  expectLanes<L, L>(
      "mov.b64 {%x0, %x1}, %a; mov.b64 {%x2, %x3}, %b; sub.cc.u32 %x4, %x0, %x2; subc.u32 %x5, %x1, %x3; "
      "mov.b64 %d, {%x4, %x5};",
      Longs, [](L a, L b, L) { return a - b; });
}

TEST(Arithmetic, ShiftsClampTheirCount) {
  expectLanes<U, U>("shl.b32 %d, %a, %b;", Words, [](U a, U b, U) { return b > 31 ? 0 : a << b; });
  expectLanes<U, U>("shr.s32 %d, %a, %b;", Words, [](U a, U b, U) { return U(S(a) >> std::min(b, 31u)); });
  expectLanes<U, U>("shf.l.wrap.b32 %d, %a, %b, %c;", Words,
                    [](U a, U b, U c) { return U(((L(b) << 32 | a) << (c & 31)) >> 32); });
}

TEST(Arithmetic, BitInstructions) {
  expectLanes<U, U>("popc.b32 %d, %a;", Words, [](U a, U, U) { return U(std::popcount(a)); });
  expectLanes<L, U>("clz.b64 %d, %a;", Longs, [](L a, L, L) { return U(std::countl_zero(a)); });
  expectLanes<U, U>("lop3.b32 %d, %a, %b, %c, 0x96;", Words, [](U a, U b, U c) { return a ^ b ^ c; });
  expectLanes<U, U>("lop3.b32 %d, %a, %b, %c, 0xE8;", Words,
                    [](U a, U b, U c) { return (a & b) | (a & c) | (b & c); });
  expectLanes<U, U>("prmt.b32 %d, %a, %b, 0x0123;", Words, [](U a, U, U) { return __builtin_bswap32(a); });
  expectLanes<U, U>("bfe.u32 %d, %a, 4, 8;", Words, [](U a, U, U) { return a >> 4 & 0xff; });
  expectLanes<U, U>("bfi.b32 %d, %a, %b, 8, 4;", Words,
                    [](U a, U b, U) { return (b & ~0xf00u) | (a & 0xf) << 8; });
  expectLanes<U, U>("dp4a.u32.u32 %d, %a, %b, %c;", Words, [](U a, U b, U c) {
    for (int i = 0; i < 4; ++i)
      c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
    return c;
  });
}

TEST(Arithmetic, FloatsRoundAsAsked) {
  expectLanes<float, float>("fma.rn.f32 %d, %a, %b, %c;", Floats, [](float a, float b, float c) {
    float r = std::fma(a, b, c);
    return std::isnan(r) ? std::bit_cast<float>(0x7fffffffu) : r;
  });
  expectLanes<float, float>("add.ftz.f32 %d, %a, %b;", Floats, [](float a, float b, float) {
    auto flush = [](float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; };
    return flush(flush(a) + flush(b));
  });
  expectLanes<double, double>("mul.rn.f64 %d, %a, %b;", Doubles,
                              [](double a, double b, double) { return a * b; });
  expectLanes<float, float>("max.f32 %d, %a, %b;", Floats, [](float a, float b, float) {
    return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  });
  expectLanes<float, float>("abs.f32 %d, %a;", Floats, [](float a, float, float) { return std::fabs(a); });
}

TEST(Arithmetic, PackedHalvesAreIndependent) {
  // 1.0, 2.0, 0.5 as f16
  const std::vector<uint32_t> halves = {0x3c004000, 0x40003800, 0x38003c00, 0x3c003c00};
  auto value = [](uint32_t h) {
    return h == 0x3c00 ? 1.0f : h == 0x4000 ? 2.0f : h == 0x3800 ? 0.5f : h == 0 ? 0.0f : NAN;
  };
  auto half = [](float v) -> uint32_t {
    uint32_t b = std::bit_cast<uint32_t>(v);
    return v == 0 ? 0 : ((b >> 23) - 112) << 10 | (b >> 13 & 0x3ff);
  };
  expectLanes<U, U>("mul.f16x2 %d, %a, %b;", halves, [&](U a, U b, U) {
    return half(value(a & 0xffff) * value(b & 0xffff)) | half(value(a >> 16) * value(b >> 16)) << 16;
  });
}

TEST(Arithmetic, ConversionsExtendIntoWiderRegisters) {
  expectLanes<U, U>("cvt.s32.s8 %d, %a;", Words, [](U a, U, U) { return U(S(int8_t(a))); });
  expectLanes<U, U>("cvt.u16.u32 %h0, %a; cvt.u32.u16 %d, %h0;", Words, [](U a, U, U) { return a & 0xffff; });
  expectLanes<U, L>("cvt.s64.s32 %d, %a;", Words, [](U a, U, U) { return L(int64_t(S(a))); });
  expectLanes<float, S>("cvt.rzi.s32.f32 %d, %a;", Floats,
                        [](float a, float, float) { return a > 2e9f ? INT32_MAX : S(a); });
  expectLanes<U, float>("cvt.rn.f32.u32 %d, %a;", Words, [](U a, U, U) { return float(a); });
  expectLanes<float, double>("cvt.f64.f32 %d, %a;", Floats, [](float a, float, float) { return double(a); });
  expectLanes<U, U>("cvt.sat.u8.s32 %d, %a;", Words,
                    [](U a, U, U) { return U(std::min(std::max(S(a), 0), 255)); });
}

TEST(Arithmetic, ComparisonsSelectAndJoin) {
  expectLanes<U, U>("setp.lt.s32 %pr0, %a, %b; selp.b32 %d, %a, %b, %pr0;", Words,
                    [](U a, U b, U) { return S(a) < S(b) ? a : b; });
  expectLanes<U, U>(
      "setp.ne.u32 %pr0, %c, 0; setp.hi.and.u32 %pr1|%pr2, %a, %b, %pr0; selp.b32 %d, 1, 0, %pr1; "
      "@%pr2 mov.u32 %d, 2;",
      Words, [](U a, U b, U c) { return c == 0  ? 0u
                                        : a > b ? 1u
                                                : 2u; });
  expectLanes<float, U>("set.gtu.u32.f32 %d, %a, %b;", Floats,
                        [](float a, float b, float) { return a > b ? ~0u : 0u; });
  expectLanes<U, U>("slct.u32.s32 %d, %a, %b, %c;", Words, [](U a, U b, U c) { return S(c) >= 0 ? a : b; });
  expectLanes<float, U>("testp.subnormal.f32 %pr0, %a; selp.b32 %d, 1, 0, %pr0;", Floats,
                        [](float a, float, float) { return U(std::fpclassify(a) == FP_SUBNORMAL); });
}

TEST(Arithmetic, GuardedInstructionsTouchOnlyTheirLanes) {
  expectLanes<U, U>(
      "mov.u32 %d, 99; setp.gt.u32 %pr0, %a, %b; @%pr0 add.u32 %d, %a, 1; @!%pr0 mul.lo.u32 %d, %b, 3;",
      Words, [](U a, U b, U) { return a > b ? a + 1 : b * 3; });
}

TEST(Arithmetic, PackAndUnpackMoveEveryPart) {
  expectLanes<L, L>(
      "mov.b64 {%h0, %h1, %h2, %h3}, %a; mov.b64 %d, {%h3, %h2, %h1, %h0};", Longs, [](L a, L, L) {
        return (a & 0xffff) << 48 | (a >> 16 & 0xffff) << 32 | (a >> 32 & 0xffff) << 16 | a >> 48;
      });
  expectLanes<U, U>("mov.b32 {%h0, _}, %a; mov.b32 %d, {%h0, %h0};", Words,
                    [](U a, U, U) { return (a & 0xffff) * 0x10001; });
}

TEST(Arithmetic, PartialWarpsComputeOnlyTheirThreads) {
  Runner runner(kernelFor("b32", 4, "add.u32 %d, %a, 1;", "b32", 4));
  auto *a = runner.buffer<uint32_t>(64, 5), *d = runner.buffer<uint32_t>(64, 77);
  runner.run({1}, {45}, a, a, a, d);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(d[i], i < 45 ? 6u : 77u) << i;
}

TEST(Arithmetic, AnInstructionThatIsNotThereIsNamedWithItsLocation) {
  Runner runner(".visible .entry k() {\n.reg .b32 %r<3>;\ntcgen05.fence::before_thread_sync;\nret;\n}\n");
  std::string why = runner.whyNoKernel();
  EXPECT_NE(why.find("tcgen05"), std::string::npos) << why;
  EXPECT_NE(why.find("test.ptx:6"), std::string::npos) << why;
}

} // namespace
} // namespace heddle::vm::test
