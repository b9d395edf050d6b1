// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel that compares, on the simulator, and what takes its place, against a loop over bytes.
#include "replay/Compare.h"

#include "TestPaths.h"

#include <gmock/gmock.h>

#include <random>

namespace heddle::replay {
namespace {

/// True: by the kernel.
class Compare : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Ways, Compare, testing::Bool(),
                         [](const auto &each) { return std::string(each.param ? "Kernel" : "Host"); });

TEST_P(Compare, CountsBytesAndFindsTheFirst) {
  Driver driver(HEDDLE_BUILD_DIR "/lib/libheddle_cudart.so");
  EXPECT_TRUE(driver.isSimulator());
  EXPECT_THAT(driver.arch(), testing::StartsWith("sm_"));
  Comparer comparer(driver, GetParam());
  constexpr size_t Bytes = 1 << 16;
  cu::Pointer a = 0, b = 0;
  driver.check(driver.memAlloc(&a, Bytes), "a");
  driver.check(driver.memAlloc(&b, Bytes), "b");
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<uint8_t> left(Bytes), right;
    for (uint8_t &byte : left)
      byte = uint8_t(random());
    right = left;
    for (unsigned changes = random() % 40; changes; --changes)
      right[random() % Bytes] ^= uint8_t(1 << random() % 8);
    driver.check(driver.copyToDevice(a, left.data(), Bytes), "a");
    driver.check(driver.copyToDevice(b, right.data(), Bytes), "b");
    std::vector<Comparer::Pair> pairs;
    std::vector<Comparer::Result> expected;
    for (int i = 0; i < 30; ++i) {
      // Aligned and not, of the same alignment and not, empty too.
      const uint64_t at = random() % (Bytes / 2) & (i % 2 ? ~uint64_t(15) : ~uint64_t(0));
      const uint64_t bytes = random() % (i % 3 ? Bytes / 2 : 40);
      pairs.push_back({a + at, b + at, bytes});
      Comparer::Result result{0, ~uint64_t(0)};
      for (uint64_t k = 0; k < bytes; ++k)
        if (left[at + k] != right[at + k])
          ++result.differing, result.first = std::min(result.first, k);
      expected.push_back(result);
    }
    const std::vector<Comparer::Result> results = comparer.compare(pairs, nullptr);
    ASSERT_EQ(results.size(), expected.size());
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i].differing, expected[i].differing) << "round " << round << ", pair " << i;
      if (expected[i].differing)
        EXPECT_EQ(results[i].first, expected[i].first) << "round " << round << ", pair " << i;
    }
  }
  EXPECT_THAT(comparer.compare({}, nullptr), testing::IsEmpty());
}

TEST(Driver, MissingLibraryIsNamed) {
  try {
    Driver driver("/nowhere/libcuda.so.1");
    FAIL();
  } catch (const ReplayError &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/libcuda.so.1"));
  }
}

} // namespace
} // namespace heddle::replay
