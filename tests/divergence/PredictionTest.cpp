// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Kernels.h"
#include "divergence/Fit.h"
#include "divergence/Inputs.h"
#include "divergence/Profiler.h"
#include "model/Thresholds.h"
#include "ptx/Parser.h"
#include "vm/Runner.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace heddle::divergence {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using vm::test::Runner;

Inputs inputsOfText(const std::string &body) {
  Diagnostics problems;
  const ptx::Module module =
      ptx::parse(".version 8.5\n.target sm_90a\n.address_size 64\n" + body, "t.ptx", problems);
  return inputsOf(module, module.functions[module.findFunction("k")]);
}

/// "tid.x", "parameter 'n'", "element", "elements loaded in a loop"...
std::vector<std::string> deciding(const Inputs &inputs, uint32_t block) {
  std::vector<std::string> names;
  for (uint32_t input : inputs.ofBlock[block])
    names.push_back(inputs.inputs[input].name);
  return names;
}

TEST(Inputs, ABranchOnTheThreadsNumberIsDecidedByIt) {
  const Inputs inputs = inputsOfText(evenOrOdd);
  EXPECT_THAT(deciding(inputs, 0), IsEmpty());
  EXPECT_THAT(deciding(inputs, 1), UnorderedElementsAre("tid.x"));
  EXPECT_THAT(deciding(inputs, 2), UnorderedElementsAre("tid.x"));
  EXPECT_THAT(deciding(inputs, 3), IsEmpty()) << "both ways come there";
}

TEST(Inputs, ALoopIsDecidedByTheElementThatBoundsItAndNotByItsAddress) {
  EXPECT_THAT(deciding(inputsOfText(loopOfLoaded), 1), UnorderedElementsAre("element"));
}

TEST(Inputs, WhatIsLoadedInALoopHasNoSingleValue) {
  const Inputs inputs = inputsOfText(followLinks);
  EXPECT_THAT(deciding(inputs, 1), Contains("elements loaded in a loop"));
  EXPECT_THAT(deciding(inputs, 1), Contains("tid.x"));
}

TEST(Inputs, AParameterGoesByItsName) {
  const Inputs inputs =
      inputsOfText(".visible .entry k(.param .u64 a, .param .u32 n) {\n.reg .b32 %r<4>; .reg .pred %p;\n"
                   "ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; setp.ge.s32 %p, %r1, %r0; @%p bra END;\n"
                   "add.s32 %r2, %r1, 1;\nEND: ret; }\n");
  EXPECT_THAT(deciding(inputs, 1), UnorderedElementsAre("parameter 'n'", "tid.x"));
}

TEST(Inputs, AValueChosenByABranchIsDecidedByThatBranch) {
  // n = tid.y ? 3 : 5 by a branch; then a loop of n.
  const Inputs inputs =
      inputsOfText(".visible .entry k() {\n.reg .b32 %r<8>; .reg .pred %p<4>;\n"
                   "mov.u32 %r0, %tid.y; mov.u32 %r1, 5; setp.eq.s32 %p0, %r0, 0; @%p0 bra JOIN;\n"
                   "mov.u32 %r1, 3;\n"
                   "JOIN: mov.u32 %r2, 0;\n"
                   "LOOP: add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;\nret; }\n");
  EXPECT_THAT(deciding(inputs, 3), Contains("tid.y"));
}

TEST(Inputs, EachElementOfAVectorIsAnInputOfItsOwn) {
  const Inputs inputs = inputsOfText(
      ".visible .entry k(.param .u64 a) {\n.reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p;\n"
      "ld.param.u64 %rd0, [a]; ld.global.v2.s32 {%r0, %r1}, [%rd0]; setp.lt.s32 %p, %r1, 7; @%p bra END;\n"
      "add.s32 %r2, %r0, 1;\nEND: ret; }\n");
  ASSERT_EQ(inputs.ofBlock[1].size(), 1u);
  EXPECT_EQ(inputs.inputs[inputs.ofBlock[1][0]].element, 1u);
}

TEST(Fit, FindsTheCoefficientsOfALinearFunction) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::vector<std::vector<double>> columns(2, std::vector<double>(64));
  std::vector<double> counts(64);
  for (size_t i = 0; i < 64; ++i) {
    columns[0][i] = double(random() % 1000), columns[1][i] = 1e6 + double(i);
    counts[i] = 3 + 2 * columns[0][i] - 0.5 * (columns[1][i] - 1e6);
  }
  const LinearModel model = fit(columns, counts);
  EXPECT_NEAR(model.coefficients[1], 2, 1e-9);
  EXPECT_NEAR(model.coefficients[2], -0.5, 1e-9);
  EXPECT_NEAR(model.trainingError, 0, 1e-9);
  const double own[] = {10, 1e6 + 4};
  EXPECT_NEAR(model.predict(own), 3 + 20 - 2, 1e-6);
}

TEST(Fit, WithoutInputsTheMeanIsAllThatIsKnown) {
  const std::vector<double> counts = {1, 2, 3, 6};
  const LinearModel model = fit({}, counts);
  EXPECT_DOUBLE_EQ(model.coefficients[0], 3);
  EXPECT_DOUBLE_EQ(model.trainingError, (4 + 1 + 0 + 9) / 4.0);
}

TEST(Fit, OfColumnsThatSayTheSameNoneRunsAway) {
  const std::vector<std::vector<double>> columns = {{1, 2, 3, 4}, {2, 4, 6, 8}, {5, 5, 5, 5}};
  const LinearModel model = fit(columns, std::vector<double>{10, 20, 30, 40});
  EXPECT_NEAR(model.trainingError, 0, 1e-18);
  for (double coefficient : model.coefficients)
    EXPECT_LT(std::abs(coefficient), 11);
}

TEST(Fit, ThreadsThatNeverLoadedAnInputAreNotFittedTo) {
  const double never = std::nan("");
  const LinearModel model = fit({{1, 2, never, 3, never}}, std::vector<double>{11, 12, 0, 13, 0});
  EXPECT_NEAR(model.coefficients[0], 10, 1e-9);
  EXPECT_NEAR(model.coefficients[1], 1, 1e-9);
  const double one[] = {never}, other[] = {7};
  EXPECT_EQ(model.predict(one), 0);
  EXPECT_NEAR(model.predict(other), 17, 1e-9);
}

LaunchProfile predictedProfile(const std::string &ptx, vm::Dim3 grid, vm::Dim3 block,
                               const std::vector<int> &in) {
  Runner runner(ptx);
  const vm::Kernel &kernel = *runner.kernel();
  Profiler profiler(kernel, kernelInputs(kernel));
  runner.observer = &profiler;
  runner.run(grid, block, runner.buffer<int>(in));
  return profiler.take(16);
}

std::vector<int> someLengths(unsigned count, int most, std::mt19937 &random) {
  std::vector<int> in(count);
  for (int &length : in)
    length = 1 + int(random() % unsigned(most));
  return in;
}

TEST(Prediction, ALoopOfALoadedLengthIsLinearAndFittedToOneBlockFitsAll) {
  std::mt19937 random(5);
  const Prediction prediction =
      predict(predictedProfile(loopOfLoaded, {16}, {64}, someLengths(16 * 64, 50, random)));
  EXPECT_EQ(prediction.blocks[0].key, Key::Constant);
  EXPECT_EQ(prediction.blocks[1].key, Key::Linear);
  EXPECT_LT(prediction.blocks[1].model.error, 1e-9);
  EXPECT_NEAR(prediction.blocks[1].model.coefficients[1], 1, 1e-9);
}

TEST(Prediction, ASquareIsNotLinearAndItsInputIsTheKey) {
  std::mt19937 random(5);
  const Prediction prediction =
      predict(predictedProfile(loopOfSquare, {16}, {64}, someLengths(16 * 64, 30, random)));
  EXPECT_EQ(prediction.blocks[1].key, Key::Inputs);
  EXPECT_GT(prediction.blocks[1].model.error, model::threshold::divergence::mostSquareError);
}

TEST(Inputs, ADifferenceThatABranchComparesIsItsOwnInput) {
  for (const std::string &kernel : {loopOfDifference, loopFromTo}) {
    const Inputs inputs = inputsOfText(kernel);
    const uint32_t loop = kernel == loopFromTo ? 2 : 1;
    EXPECT_THAT(deciding(inputs, loop),
                UnorderedElementsAre("element", "element", "what is made of the elements loaded"));
    const Input &difference = inputs.inputs[inputs.ofBlock[loop].back()];
    ASSERT_EQ(difference.terms.size(), 2u);
    EXPECT_EQ(difference.terms[0].times + difference.terms[1].times, 0);
  }
}

TEST(Inputs, ADifferenceIsSeenThroughWhatIsMadeOfIt) {
  // if (((end - begin) & 3) != 0 && flag)
  const Inputs inputs = inputsOfText(
      ".visible .entry k(.param .u64 a) {\n.reg .b64 %rd<2>; .reg .b32 %r<8>; .reg .pred %p<4>;\n"
      "ld.param.u64 %rd0, [a]; ld.global.s32 %r0, [%rd0]; ld.global.s32 %r1, [%rd0+4]; ld.global.s32 %r5, "
      "[%rd0+8];\n"
      "sub.s32 %r2, %r1, %r0; and.b32 %r3, %r2, 3; setp.ne.s32 %p0, %r3, 0; setp.ne.s32 %p1, %r5, 0;\n"
      "and.pred %p2, %p0, %p1; @!%p2 bra END;\nadd.s32 %r4, %r2, 1;\nEND: ret; }\n");
  EXPECT_THAT(deciding(inputs, 1),
              UnorderedElementsAre("element", "element", "element", "what is made of the elements loaded"));
}

/// Rows of 1, 16, 17 or 32 elements, once or twice around the loop: linear in nothing. They begin anywhere.
std::vector<int> someRows(std::mt19937 &random, unsigned rows) {
  constexpr int lengths[] = {1, 16, 17, 32};
  std::vector<int> begins = {0};
  for (unsigned i = 0; i < rows; ++i)
    begins.push_back(begins.back() + lengths[random() % 4]);
  return begins;
}

TEST(Prediction, WhereElementsAreAllDifferentTheirDifferenceIsTheKey) {
  std::mt19937 random(3);
  for (const std::string &kernel : {loopOfDifference, loopFromTo}) {
    const Prediction prediction = predict(predictedProfile(kernel, {8}, {64}, someRows(random, 512)));
    const BlockPrediction &loop = prediction.blocks[kernel == loopFromTo ? 2 : 1];
    EXPECT_EQ(loop.key, Key::Inputs);
    EXPECT_GT(loop.model.error, model::threshold::divergence::mostUnexplained * loop.variance);
  }
}

TEST(Prediction, VectorsOfALaunchThatWasNeverProfiledComeFromItsInputs) {
  std::mt19937 random(4);
  for (const std::string &kernel : {loopOfLoaded, loopOfDifference}) {
    const bool byLength = kernel == loopOfLoaded;
    const LaunchProfile profiled =
        predictedProfile(kernel, {8}, {64}, byLength ? someLengths(512, 40, random) : someRows(random, 512));
    const LaunchProfile other =
        predictedProfile(kernel, {12}, {32}, byLength ? someLengths(384, 90, random) : someRows(random, 384));
    const BlockVectors predicted = predictVectors(predict(profiled), profiled, other);
    ASSERT_EQ(predicted.threads(), 384u);
    for (uint32_t t = 0; t < 384; ++t)
      EXPECT_TRUE(std::ranges::equal(predicted.thread(t), other.vectors.thread(t))) << t;
  }
}

TEST(Prediction, WhatOnlyARunShowsIsAsItWasInThatRunOrAsGoodAsTheModel) {
  std::mt19937 random(9);
  std::vector<int> next(64, 1);
  for (int i = 2; i < 64; ++i)
    next[size_t(i)] = 1 + int(random() % unsigned(i - 1)); // always nearer to 1
  const LaunchProfile launch = predictedProfile(followLinks, {1}, {64}, next);
  const Prediction prediction = predict(launch);
  ASSERT_EQ(prediction.blocks[1].key, Key::Profile);
  const BlockVectors same = predictVectors(prediction, launch, launch, Otherwise::Profile);
  const BlockVectors model = predictVectors(prediction, launch, launch, Otherwise::Model);
  bool modelIsRight = true;
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(same.thread(t)[1], launch.vectors.thread(t)[1]);
    modelIsRight &= model.thread(t)[1] == launch.vectors.thread(t)[1];
  }
  EXPECT_FALSE(modelIsRight);
}

TEST(Prediction, AnInputThatEachThreadHasForItselfIsNoKey) {
  // Squares of lengths that are all different: what one thread does says nothing of others.
  std::vector<int> in(128);
  std::iota(in.begin(), in.end(), 1);
  const Prediction prediction = predict(predictedProfile(loopOfSquare, {2}, {64}, in));
  EXPECT_EQ(prediction.blocks[1].key, Key::Profile);
}

TEST(Prediction, ALoopOfALoadedLengthServesForInputsThatWereNeverSeen) {
  std::mt19937 random(5);
  const Prediction prediction =
      predict(predictedProfile(loopOfLoaded, {4}, {64}, someLengths(4 * 64, 50, random)));
  const std::vector<int> other = someLengths(8 * 32, 500, random);
  const LaunchProfile unseen = predictedProfile(loopOfLoaded, {8}, {32}, other);
  for (uint32_t t = 0; t < other.size(); ++t) {
    const double own[] = {double(other[t])};
    EXPECT_NEAR(prediction.blocks[1].model.predict(own), unseen.vectors.thread(t)[1], 1e-6);
  }
}

TEST(Prediction, WhatIsReadOnTheWayIsKnownOnlyAfterARun) {
  // Links in a random order: the number of steps to 1 follows from no input.
  std::mt19937 random(9);
  std::vector<int> order(64), next(64, 1);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::erase(order, 1);
  for (size_t i = 0; i + 1 < order.size(); ++i)
    next[size_t(order[i])] = order[i + 1];
  const Prediction prediction = predict(predictedProfile(followLinks, {1}, {64}, next));
  EXPECT_EQ(prediction.blocks[1].key, Key::Profile);
}

TEST(Prediction, AThreadsLocationInTheLaunchIsLinearAcrossBlocks) {
  // for (i = 0; i < ctaid.x * ntid.x + tid.x; ++i)
  const std::string ptx = ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<8>; .reg .pred %p<4>;\n"
                          "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, "
                          "%r0, %r1, %r2; mov.u32 %r4, 0;\n"
                          "LOOP: add.s32 %r4, %r4, 1; setp.lt.s32 %p0, %r4, %r3; @%p0 bra LOOP;\nret; }\n";
  const Prediction prediction = predict(predictedProfile(ptx, {8}, {32}, {0}));
  EXPECT_EQ(prediction.blocks[1].key, Key::Linear);
}

} // namespace
} // namespace heddle::divergence
