// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/PtxRegisters.h"

#include "ptx/Parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace heddle;

namespace {

unsigned likely(const std::string &body, unsigned atFullOccupancy = 32) {
  Diagnostics diagnostics;
  const ptx::Module module =
      ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
                 ".reg .pred %p<9>;\n.reg .b32 %r<200>;\n.reg .b64 %rd<200>;\n.reg .f64 %fd<200>;\n"
                 "ld.param.u64 %rd0, [a];\nld.param.u64 %rd1, [b];\nld.param.u32 %r0, [n];\n" +
                     body + "ret;\n}\n",
                 "k.ptx", diagnostics);
  for (const Diagnostic &each : diagnostics.all())
    ADD_FAILURE() << each.text;
  return analysis::registersLikely(module.functions.front(), atFullOccupancy);
}

/// Loads so many elements one after the other, each of which is added to a sum before the next is loaded.
std::string sumOf(unsigned elements, const std::string &type = "f32", const std::string &reg = "%r") {
  const unsigned bytes = type == "f64" ? 8 : 4;
  std::string text = fmt::format("ld.global.{} {}100, [%rd0];\n", type, reg);
  for (unsigned i = 1; i < elements; ++i)
    text += fmt::format("ld.global.{0} {1}{2}, [%rd0+{3}];\nadd.{0} {1}100, {1}100, {1}{2};\n", type, reg, i,
                        bytes * i);
  return text + fmt::format("st.global.{} [%rd1], {}100;\n", type, reg);
}

TEST(PtxRegisters, LoadsGoInFrontOfTheirUses) { EXPECT_EQ(likely(sumOf(12)), likely(sumOf(4)) + 8); }

TEST(PtxRegisters, ValuesOf64BitsNeedTwo) {
  EXPECT_EQ(likely(sumOf(12, "f64", "%fd")), likely(sumOf(8, "f64", "%fd")) + 8);
}

TEST(PtxRegisters, LoadsStopWhereMoreRegistersWouldCostOccupancy) {
  EXPECT_EQ(likely(sumOf(60)), 32u);
  EXPECT_EQ(likely(sumOf(60), 42), 42u);
}

TEST(PtxRegisters, ValuesThatAreAllNeededMayExceedThat) {
  std::string text;
  for (unsigned i = 1; i <= 50; ++i)
    text += fmt::format("ld.global.u32 %r{}, [%rd0+{}];\n", i, 4 * i);
  text += "bar.sync 0;\n";
  for (unsigned i = 1; i <= 50; ++i)
    text += fmt::format("st.global.u32 [%rd1+{}], %r{};\n", 4 * i, i);
  EXPECT_GE(likely(text), 50u);
}

TEST(PtxRegisters, AStoreThatMayChangeALoadedElementKeepsTheLoadBehindIt) {
  const auto text = [](const char *to) {
    std::string copies;
    for (unsigned i = 1; i < 12; ++i)
      copies += fmt::format(
          "ld.global.u32 %r{0}, [%rd0+{1}];\nadd.u32 %r{0}, %r{0}, 1;\nst.global.u32 [{2}+{1}], %r{0};\n", i,
          4 * i, to);
    return copies;
  };
  EXPECT_GT(likely(text("%rd0")),
            likely(text("%rd1")) + 4); // the same base: other offsets are other elements
}

TEST(PtxRegisters, ShortLoopsAreUnrolled) {
  const auto loop = [](const char *more) {
    return fmt::format("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nagain:\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 "
                       "%rd3, %rd0, %rd2;\n"
                       "ld.global.nc.u32 %r3, [%rd3];\nadd.u32 %r2, %r2, %r3;\n{}add.u32 %r1, %r1, 32;\n"
                       "setp.lt.u32 %p1, %r1, %r0;\n@%p1 bra again;\nst.global.u32 [%rd1], %r2;\n",
                       more);
  };
  EXPECT_GT(likely(loop("")), likely(loop("bar.sync 0;\n")) + 3);
}

TEST(PtxRegisters, ParametersAndConstantsNeedNone) {
  EXPECT_EQ(likely("mov.u32 %r1, 5;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %tid.x;\nadd.u32 %r4, %r3, %r0;\n"
                   "add.u32 %r5, %r4, %r1;\nadd.u32 %r6, %r5, %r2;\nst.global.u32 [%rd0], %r6;\n"),
            likely("mov.u32 %r3, %tid.x;\nadd.u32 %r6, %r3, 7;\nst.global.u32 [%rd0], %r6;\n"));
}

TEST(PtxRegisters, FullOccupancyIsTheRegisterFileDividedByTheThreads) {
  Diagnostics diagnostics;
  EXPECT_EQ(analysis::registersAtFullOccupancy(*arch::findArch("sm_90", diagnostics)), 32u);
  EXPECT_EQ(analysis::registersAtFullOccupancy(*arch::findArch("sm_86", diagnostics)), 42u);
}

} // namespace
