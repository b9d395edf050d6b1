// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/OccupancyChart.h"
#include "report/Roofline.h"
#include "support/Diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

arch::Arch archNamed(const char *name) {
  Diagnostics diagnostics;
  return arch::findArch(name, diagnostics).value();
}

TEST(OccupancyChart, HasTheKernelsPointInBothCurves) {
  const std::string text = occupancyHtml(archNamed("sm_90"), {256, 64, 1024, 0});
  EXPECT_THAT(text, HasSubstr("aria-label=\"256 threads per block: 50 %, limited by registers\""));
  EXPECT_THAT(text, HasSubstr("aria-label=\"64 registers per thread: 50 %, limited by registers\""));
}

TEST(OccupancyChart, WithoutABlockThereIsOneCurveAndNoPoint) {
  const std::string text = occupancyHtml(archNamed("sm_90"), {0, 64, 0, 0});
  EXPECT_THAT(text, Not(HasSubstr("class=\"mark")));
  EXPECT_THAT(text, Not(HasSubstr("occupancy, percent by registers")));
}

/// A second of one TFLOP and 100 GB of DRAM.
RooflineWork second() { return {{0, 1e12, 0}, 100e9, 400e9, 1e6}; }

TEST(Roofline, PutsTheKernelBelowTheLimitsOfTheDevice) {
  const std::string text = rooflineHtml(archNamed("sm_90"), second());
  EXPECT_THAT(
      text,
      HasSubstr("aria-label=\"DRAM: 10 FLOP per byte, 1 TFLOP/s and 100 GB/s (2.1 % of its bandwidth)\""));
  EXPECT_THAT(text, HasSubstr("aria-label=\"L2: 2.5 FLOP per byte, 1 TFLOP/s and 400 GB/s"));
  EXPECT_THAT(text, HasSubstr(">f32 66.9 TFLOP/s</text>")); // 132 SMs, 128 lanes, 2 operations, 1.98 GHz
  EXPECT_THAT(text, HasSubstr(">DRAM 4.8 TB/s</text>"));
  EXPECT_THAT(text, HasSubstr("predicted, by bytes of DRAM"));
  EXPECT_THAT(text, Not(HasSubstr(">f64"))); // the kernel has none
}

TEST(Roofline, DrawsNoLimitThatTheTableDoesNotHave) {
  const std::string text = rooflineHtml(archNamed("sm_86"), second());
  EXPECT_THAT(text, Not(HasSubstr("TFLOP/s</text>")));
  EXPECT_THAT(text, HasSubstr("does not have the throughput of f32 and the bandwidth of L2"));
}

TEST(Roofline, WhatWasMeasuredIsCalledSo) {
  RooflineWork work = second();
  work.isPredicted = false;
  EXPECT_THAT(rooflineHtml(archNamed("sm_90"), work), HasSubstr("measured, by bytes of DRAM"));
}

TEST(Roofline, VariantsOfAKernelAreInOneChartByBytesOfDram) {
  RooflineWork coarsened = second();
  coarsened.dramBytes = 50e9, coarsened.micros = 0.5e6;
  const std::string text = rooflineHtml(
      archNamed("sm_90"), std::vector<RooflineVariant>{{"a<1>.cu", second()}, {"b.cu", coarsened}});
  EXPECT_THAT(text, HasSubstr("aria-label=\"a&lt;1&gt;.cu, DRAM: 10 FLOP per byte, 1 TFLOP/s and 100 GB/s"));
  EXPECT_THAT(text, HasSubstr("aria-label=\"b.cu, DRAM: 20 FLOP per byte, 2 TFLOP/s and 100 GB/s"));
  EXPECT_THAT(text, HasSubstr("b.cu, predicted, by bytes of DRAM"));
  EXPECT_THAT(text, Not(HasSubstr(", L2: ")));
}

TEST(Roofline, VariantsAreComparedByBytesOfL2WhereOneNeedsNoDram) {
  RooflineWork fits = second();
  fits.dramBytes = 0;
  const std::string text =
      rooflineHtml(archNamed("sm_90"), std::vector<RooflineVariant>{{"a.cu", fits}, {"b.cu", second()}});
  EXPECT_THAT(text, HasSubstr("a.cu, L2: 2.5 FLOP per byte"));
  EXPECT_THAT(text, HasSubstr("b.cu, L2: 2.5 FLOP per byte"));
  EXPECT_THAT(text, Not(HasSubstr(", DRAM: ")));
}

TEST(Roofline, OfVariantsOnlyThoseWithArithmeticAreShown) {
  RooflineWork none = second();
  none.operations = {};
  const std::string text =
      rooflineHtml(archNamed("sm_90"), std::vector<RooflineVariant>{{"a.cu", none}, {"b.cu", second()}});
  EXPECT_THAT(text, HasSubstr("b.cu, DRAM: "));
  EXPECT_THAT(text, Not(HasSubstr("a.cu, DRAM: ")));
}

TEST(Roofline, CallsAreMentioned) {
  RooflineWork work = second();
  EXPECT_THAT(rooflineHtml(archNamed("sm_90"), work), Not(HasSubstr("library functions")));
  work.operations.calls = 1;
  EXPECT_THAT(rooflineHtml(archNamed("sm_90"), work), HasSubstr("inside library functions are not counted"));
}

TEST(Roofline, AKernelWithoutArithmeticHasNone) {
  RooflineWork work = second();
  work.operations = {};
  EXPECT_THAT(rooflineHtml(archNamed("sm_90"), work), HasSubstr("no floating-point arithmetic"));
}

} // namespace
} // namespace heddle::report
