// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over lanes in both versions of the host compute the same bits, for full and for partial warps.
#include "vm/HostVersions.h"

#include "vm/Runner.h"

#include <fmt/format.h>

#include <random>

namespace heddle::vm::test {
namespace {

struct Form {
  const char *instruction; ///< of d, a, b, c
  unsigned bits;           ///< of each register
  unsigned sources;
};

const Form Forms[] = {
    {"add.rn.f32", 32, 2},
    {"add.rn.ftz.sat.f32", 32, 2},
    {"sub.rn.f32", 32, 2},
    {"mul.rn.f32", 32, 2},
    {"mul.rn.ftz.f32", 32, 2},
    {"fma.rn.f32", 32, 3},
    {"fma.rn.ftz.f32", 32, 3},
    {"fma.rn.sat.f32", 32, 3},
    {"div.rn.f32", 32, 2},
    {"sqrt.rn.f32", 32, 1},
    {"rcp.approx.ftz.f32", 32, 1},
    {"min.f32", 32, 2},
    {"max.NaN.f32", 32, 2},
    {"abs.f32", 32, 1},
    {"neg.ftz.f32", 32, 1},
    {"add.rn.f64", 64, 2},
    {"mul.rn.f64", 64, 2},
    {"fma.rn.f64", 64, 3},
    {"div.rn.f64", 64, 2},
    {"sqrt.rn.f64", 64, 1},
    {"max.f64", 64, 2},
    {"add.f16x2", 32, 2},
    {"sub.f16x2", 32, 2},
    {"mul.f16x2", 32, 2},
    {"fma.rn.f16x2", 32, 3},
    {"fma.rn.relu.f16x2", 32, 3},
    {"fma.rn.ftz.f16x2", 32, 3},
    {"fma.rn.ftz.sat.f16x2", 32, 3},
    {"min.f16x2", 32, 2},
    {"neg.f16x2", 32, 1},
    {"add.bf16x2", 32, 2},
    {"mul.bf16x2", 32, 2},
    {"fma.rn.bf16x2", 32, 3},
    {"max.NaN.bf16x2", 32, 2},
    {"add.s32", 32, 2},
    {"mad.lo.s32", 32, 3},
    {"mul.hi.u32", 32, 2},
    {"min.s64", 64, 2},
    {"mul.lo.u64", 64, 2},
    {"shl.b32", 32, 2},
    {"shf.l.wrap.b32", 32, 3},
    {"prmt.b32", 32, 3},
    {"popc.b32", 32, 1},
    {"clz.b32", 32, 1},
    {"lop3.b32", 32, 4},
    {"slct.f32.s32", 32, 3},
};

std::string textOf(const Form &form) {
  const char reg = form.bits == 64 ? 'd' : 'r';
  std::string operands;
  for (unsigned i = 0; i < form.sources; ++i)
    operands += i == 3 ? std::string(", 0xe8") : fmt::format(", %{}{}", reg, i + 1);
  return fmt::format(
      ".visible .entry k(.param .u64 out, .param .u64 in) {{\n"
      ".reg .b64 %rd<8>; .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .b32 %t;\n"
      "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %t, %tid.x;\n"
      "mad.wide.u32 %rd0, %t, {0}, %rd0; mad.wide.u32 %rd1, %t, {0}, %rd1;\n"
      "ld.global.b{1} %{2}1, [%rd1]; ld.global.b{1} %{2}2, [%rd1+4096]; ld.global.b{1} %{2}3, [%rd1+8192];\n"
      "{3} %{2}0{4};\nst.global.b{1} [%rd0], %{2}0; ret; }}\n",
      form.bits / 8, form.bits, reg, form.instruction, operands);
}

/// Numbers of every kind: special ones of all formats among random bits.
std::vector<uint64_t> operands(uint64_t seed) {
  std::mt19937_64 next(seed);
  const uint64_t special[] = {0,
                              0x8000000000000000u,
                              0x7fffffff7fffffffu,
                              0x7f8000017f800001u,
                              0x7ff0000000000000u,
                              0xfff8000000000123u,
                              0x0000000100000001u,
                              0x7f800000ff800000u,
                              0x7c007e01fc000001u,
                              0x03ff0400840083ffu,
                              0x3c003c013bff7bffu,
                              0x7f807fc1ff800080u,
                              0x3f8000003f7fffffu,
                              0x00800000007fffffu};
  std::vector<uint64_t> words(1536);
  for (uint64_t &word : words)
    word = next() % 4 ? next() : special[next() % std::size(special)];
  return words;
}

std::vector<uint64_t> results(const Form &form, bool wide, unsigned threads, uint64_t seed) {
  const bool before = wideLanes();
  wideLanes() = wide;
  Runner runner(textOf(form));
  uint64_t *in = runner.buffer(operands(seed)), *out = runner.buffer<uint64_t>(512);
  runner.run({1}, {threads}, out, in);
  wideLanes() = before;
  return {out, out + 512};
}

TEST(HostVersions, ComputeTheSameBits) {
  if (!wideLanes())
    GTEST_SKIP() << "this processor has no AVX2 and FMA, so that there is one version only";
  for (const Form &form : Forms)
    for (unsigned threads : {512u, 21u})
      for (uint64_t seed = 1; seed <= 4; ++seed)
        ASSERT_EQ(results(form, true, threads, seed), results(form, false, threads, seed))
            << form.instruction << ", " << threads << " threads, seed " << seed;
}

} // namespace
} // namespace heddle::vm::test
