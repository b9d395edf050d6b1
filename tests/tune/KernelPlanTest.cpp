// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/KernelPlan.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::tune;

namespace {

const std::vector<FileKernel> kernels = {{"fill", "fill", "_Z4fill"},
                                         {"ns::step", "ns::step<float>", "_Z4stepf"},
                                         {"ns::step", "ns::step<double>", "_Z4stepd"},
                                         {"norm", "norm", "_Z4norm"}};

build::LaunchShape shape(const std::string &kernel, uint64_t first, uint64_t launches, double cost) {
  build::LaunchShape made;
  made.kernel = kernel;
  made.first = first;
  made.launches = launches;
  made.cost = cost;
  return made;
}

TEST(KernelPlan, TheKernelThatTakesLongestInTotalComesFirst) {
  const KernelPlan plan =
      planKernels({shape("_Z4fill", 1, 1, 10), shape("_Z4stepf", 2, 100, 30), shape("_Z4stepd", 3, 10, 40),
                   shape("_Z4norm", 4, 2, 2), shape("_Z4gemm", 5, 1, 18)},
                  kernels);
  ASSERT_EQ(plan.tuned.size(), 2u);
  EXPECT_EQ(plan.tuned[0].name, "ns::step") << "its instantiations count together";
  EXPECT_DOUBLE_EQ(plan.tuned[0].share, 0.7);
  EXPECT_EQ(plan.tuned[0].launches, 110u);
  EXPECT_EQ(plan.tuned[0].longest.kernel, "_Z4stepd");
  EXPECT_EQ(plan.tuned[1].name, "fill");
  ASSERT_EQ(plan.left.size(), 1u);
  EXPECT_EQ(plan.left[0].name, "norm");
  EXPECT_DOUBLE_EQ(plan.elsewhere, 0.18);
  EXPECT_TRUE(plan.hasOthers);
  EXPECT_EQ(plan.str(), "ns::step takes 70 % of the time of all launches and is tuned first, then fill "
                        "(10 %); not tuned: norm (2 %)");
}

TEST(KernelPlan, TheNoteStatesWhatSharesAreOf) {
  KernelPlan plan = planKernels({shape("_Z4fill", 1, 1, 60), shape("_Z4norm", 2, 1, 40)}, kernels);
  plan.sharesAreOf = KernelPlan::Of::PredictedTime;
  EXPECT_EQ(plan.str(),
            "fill takes 60 % of the predicted time of all launches and is tuned first, then norm (40 %)");
  plan.sharesAreOf = KernelPlan::Of::Instructions;
  EXPECT_EQ(plan.str(),
            "fill executes 60 % of the instructions of all launches and is tuned first, then norm (40 %)");
}

TEST(KernelPlan, ALaunchThatRepresentsOthersIsNoted) {
  const KernelPlan plan = planKernels(
      {shape("_Z4stepf", 2, 100, 30), shape("_Z4stepd", 3, 10, 50), shape("_Z4stepd", 9, 10, 20)}, kernels);
  EXPECT_EQ(plan.tuned[0].shapes, 3u);
  EXPECT_DOUBLE_EQ(plan.tuned[0].longestShare, 0.5);
  EXPECT_EQ(plan.tuned[0].note(),
            "ns::step is launched in 3 instantiations or shapes; candidates are timed by one of them, step "
            "with grid 1 1 1 and block 1 1 1, which takes 50 % of the time of its launches");
  const KernelPlan one = planKernels({shape("_Z4stepf", 2, 100, 3), shape("_Z4stepd", 3, 10, 97)}, kernels);
  EXPECT_EQ(one.tuned[0].note(), "") << "nearly all of it";
}

TEST(KernelPlan, OneKernelNeedsNoPlan) {
  const KernelPlan plan = planKernels({shape("_Z4norm", 1, 1, 1), shape("_Z4gemm", 2, 1, 1000)}, kernels);
  ASSERT_EQ(plan.tuned.size(), 1u) << "the first is tuned, whatever it takes";
  EXPECT_EQ(plan.str(), "");
}

TEST(KernelPlan, WhereNothingWasMeasuredLaunchesCount) {
  const KernelPlan plan = planKernels({shape("_Z4norm", 1, 1, 0), shape("_Z4fill", 2, 3, 0)}, kernels);
  ASSERT_EQ(plan.tuned.size(), 2u);
  EXPECT_EQ(plan.tuned[0].name, "fill");
  EXPECT_DOUBLE_EQ(plan.tuned[0].share, 0.75);
}

TEST(KernelPlan, NothingIsTunedThatTheFileDoesNotHave) {
  EXPECT_TRUE(planKernels({shape("_Z4gemm", 1, 1, 10)}, kernels).tuned.empty());
  EXPECT_TRUE(planKernels({}, kernels).tuned.empty());
}

TEST(KernelPlan, ABudgetIsDividedByShares) {
  const KernelPlan plan = planKernels(
      {shape("_Z4norm", 1, 1, 60), shape("_Z4fill", 2, 3, 30), shape("_Z4stepf", 2, 3, 10)}, kernels);
  EXPECT_DOUBLE_EQ(*partOf({60, {}}, plan, 0).seconds, 36);
  EXPECT_DOUBLE_EQ(*partOf({40, {}}, plan, 1).seconds, 30) << "of what is left";
  EXPECT_DOUBLE_EQ(*partOf({10, {}}, plan, 2).seconds, 10) << "the last gets all";
  EXPECT_EQ(*partOf({{}, 10}, plan, 0).runs, 6u);
  EXPECT_EQ(*partOf({{}, 3}, plan, 0).runs, 2u);
  EXPECT_EQ(*partOf({{}, 1}, plan, 0).runs, 1u) << "never more than there are";
  EXPECT_FALSE(partOf({}, plan, 0).seconds || partOf({}, plan, 0).runs);
}

} // namespace
