// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random PTX kernels: counters say what the simulator counts.
#include "Compare.h"
#include "Counting.h"
#include "vm/RandomPtx.h"

namespace heddle::instrument {
namespace {

constexpr uint64_t Kernels = 150;
constexpr double MostWrongInAll = 0.05; ///< of lost lane slots, attributed to another branch

Setting launchOf(const vm::test::RandomPtx &random) {
  return [&random](Machine &machine) {
    auto *memory = machine.buffer<uint32_t>(vm::test::MemoryWords);
    for (size_t i = 0; i < vm::test::MemoryWords; ++i)
      memory[i] = i % 3 ? uint32_t(i * 2654435761u) >> i % 29 : uint32_t(i);
    machine.request.grid = random.grid, machine.request.block = random.block;
    machine.request.cores = 1;
    machine.request.parameters.resize(12);
    std::memcpy(machine.request.parameters.data(), &memory, 8);
    std::memcpy(machine.request.parameters.data() + 8, &random.number, 4);
  };
}

TEST(RandomKernels, CountersSayWhatTheSimulatorCounts) {
  uint64_t compared = 0, divergent = 0;
  Attribution attribution;
  for (uint64_t seed = 1; seed <= Kernels && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const vm::test::RandomPtx random = vm::test::randomPtx(seed);
    const std::string text = Head + random.text();
    const std::optional<divergence::LaunchProfile> expected = simulated(text, launchOf(random));
    if (!expected)
      continue; // it faults
    const std::optional<divergence::LaunchProfile> found = counted(text, launchOf(random));
    ASSERT_TRUE(found);
    expectSame(*found, *expected,
               text.find(".callprototype") == text.npos ? Calls::Direct : Calls::Otherwise);
    attribution.add(*found, *expected);
    ++compared;
    for (const divergence::Branch &branch : expected->branches)
      divergent += branch.divergent;
  }
  EXPECT_GT(compared, Kernels / 2);
  EXPECT_GT(divergent, Kernels);
  EXPECT_LT(attribution.wrongShare(), MostWrongInAll);
}

} // namespace
} // namespace heddle::instrument
