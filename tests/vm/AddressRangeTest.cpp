// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device addresses are the same in every run, whatever else a program has.
#include "vm/AddressRange.h"

#include "vm/Memory.h"

#include <gtest/gtest.h>

using namespace heddle::vm;

namespace {

constexpr uint64_t Capacity = 1 << 24;

/// Addresses of three allocations in a process's first memory. Memories of one process do not overlap, so
/// that each is gone before the next.
std::vector<void *> addresses(unsigned variables, unsigned deviceAllocations) {
  Memory memory(Capacity);
  std::vector<void *> all;
  for (unsigned i = 0; i < variables; ++i)
    memory.allocate(1000, AllocationKind::Global, "v" + std::to_string(i));
  all.push_back(memory.allocate(100, AllocationKind::Device));
  for (unsigned i = 0; i < deviceAllocations; ++i)
    memory.allocate(48, AllocationKind::DeviceHeap, {}, 16);
  all.push_back(memory.allocate(3 << 20, AllocationKind::Managed));
  memory.allocateForSimulator(5000, AllocationKind::Device, "printf");
  all.push_back(memory.allocate(7, AllocationKind::Pinned));
  return all;
}

TEST(AddressRange, IsTheSameInEveryRun) {
  const std::vector<void *> once = addresses(0, 0);
  EXPECT_GE(uint64_t(once[0]), FixedBase);
  EXPECT_LT(uint64_t(once[0]), FixedBase + WantedReserve);
  EXPECT_EQ(addresses(0, 0), once);
}

TEST(AddressRange, DoesNotDependOnVariablesOrOnWhatKernelsAllocate) {
  EXPECT_EQ(addresses(5, 0), addresses(0, 0));
  EXPECT_EQ(addresses(1, 100), addresses(0, 0));
}

TEST(AddressRange, HasAGapBehindEveryPiece) {
  Memory memory(Capacity);
  for (const char *name : {"a", "b", "c", ""}) {
    auto *address = static_cast<char *>(memory.allocate(1000, AllocationKind::Global, name));
    ASSERT_TRUE(memory.find(uint64_t(address) + 999));
    EXPECT_FALSE(memory.find(uint64_t(address) + 1000));
    EXPECT_FALSE(memory.find(uint64_t(address) + 1400));
    EXPECT_EQ(uint64_t(address) % 512, 0u);
    std::fill_n(address, 1000, 'x'); // is there
  }
}

TEST(AddressRange, IsAnotherOneWhereTheFirstIsTaken) {
  Memory first(Capacity), second(Capacity);
  void *a = first.allocate(100, AllocationKind::Device), *b = second.allocate(100, AllocationKind::Device);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a, b);
}

} // namespace
