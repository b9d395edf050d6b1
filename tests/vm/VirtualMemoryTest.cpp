// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reserved addresses, physical memory and mappings, and what kernels see of them.
#include "vm/VirtualMemory.h"

#include "vm/Runner.h"

#include <gmock/gmock.h>

namespace heddle::vm::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t Unit = VirtualMemory::Granularity;
// Free in a program without and with a sanitizer's shadow.
constexpr uint64_t Wanted = uint64_t(0x120000000000);

class VirtualMemoryTest : public testing::Test {
protected:
  Memory memory{64 * Unit};
  VirtualMemory virtualMemory{memory};

  uint64_t mapped(uint64_t address, uint64_t bytes = Unit) {
    const uint64_t handle = virtualMemory.create(bytes);
    bool mayHoldData = false;
    EXPECT_THAT(virtualMemory.map(address, bytes, handle, mayHoldData), IsEmpty());
    EXPECT_FALSE(mayHoldData);
    return handle;
  }
};

TEST_F(VirtualMemoryTest, RangeIsAtTheAddressThatIsWanted) {
  const uint64_t range = virtualMemory.reserve(4 * Unit, 0, Wanted);
  EXPECT_EQ(range, Wanted);
  const uint64_t other = virtualMemory.reserve(4 * Unit, 0, Wanted); // taken: anywhere else
  EXPECT_NE(other, 0u);
  EXPECT_NE(other, Wanted);
  EXPECT_THAT(virtualMemory.release(range, 4 * Unit), IsEmpty());
  EXPECT_EQ(virtualMemory.reserve(4 * Unit, 0, Wanted), Wanted);
}

TEST_F(VirtualMemoryTest, AlignmentIsKept) {
  EXPECT_EQ(virtualMemory.reserve(Unit, uint64_t(1) << 30, 0) % (uint64_t(1) << 30), 0u);
  EXPECT_EQ(virtualMemory.reserve(Unit, uint64_t(1) << 30, Wanted + Unit) % (uint64_t(1) << 30), 0u);
}

TEST_F(VirtualMemoryTest, ReleaseTakesWholeRangesWithoutMappings) {
  const uint64_t range = virtualMemory.reserve(4 * Unit, 0, 0);
  EXPECT_THAT(virtualMemory.release(range, Unit), HasSubstr("was reserved with 8388608 bytes"));
  EXPECT_THAT(virtualMemory.release(range + Unit, 3 * Unit), HasSubstr("no reserved range begins"));
  mapped(range + Unit);
  EXPECT_THAT(virtualMemory.release(range, 4 * Unit), HasSubstr("still mapped"));
  EXPECT_THAT(virtualMemory.unmap(range + Unit, Unit), IsEmpty());
  EXPECT_THAT(virtualMemory.release(range, 4 * Unit), IsEmpty());
  EXPECT_FALSE(memory.nearest(range + Unit)) << "the addresses may be somebody else's now";
}

TEST_F(VirtualMemoryTest, MappedMemoryIsAnAllocationOnceItMayBeAccessed) {
  const uint64_t range = virtualMemory.reserve(4 * Unit, 0, 0);
  mapped(range, 2 * Unit);
  EXPECT_FALSE(memory.find(range));
  EXPECT_THAT(virtualMemory.setAccess(range, 2 * Unit, MemoryAccess::Read), IsEmpty());
  ASSERT_TRUE(memory.find(range));
  EXPECT_EQ(memory.find(range + Unit)->address, range);
  EXPECT_TRUE(memory.isAccessible(range, 2 * Unit));
  EXPECT_FALSE(memory.isAccessible(range, 2 * Unit, MemoryAccess::ReadWrite));
  EXPECT_FALSE(memory.isAccessible(range, 2 * Unit + 1));
  EXPECT_EQ(memory.free(reinterpret_cast<void *>(range)), FreeResult::IsMapped);
  EXPECT_THAT(virtualMemory.unmap(range, 2 * Unit), IsEmpty());
  EXPECT_FALSE(memory.find(range));
  EXPECT_FALSE(memory.nearest(range)->live);
}

TEST_F(VirtualMemoryTest, BytesOfSeveralMappingsAreOneRange) {
  const uint64_t range = virtualMemory.reserve(4 * Unit, 0, 0);
  mapped(range), mapped(range + Unit), mapped(range + 3 * Unit);
  for (uint64_t at : {uint64_t(0), Unit, 3 * Unit})
    EXPECT_THAT(virtualMemory.setAccess(range + at, Unit, MemoryAccess::ReadWrite), IsEmpty());
  EXPECT_TRUE(memory.isAccessible(range + 8, 2 * Unit - 8));
  EXPECT_FALSE(memory.isAccessible(range + 8, 2 * Unit));
  EXPECT_FALSE(memory.isAccessible(range + Unit, 3 * Unit));
  EXPECT_THAT(virtualMemory.setAccess(range, 2 * Unit, MemoryAccess::ReadWrite), IsEmpty());
  EXPECT_THAT(virtualMemory.setAccess(range, 3 * Unit, MemoryAccess::Read), HasSubstr("no mapping begins"));
  EXPECT_THAT(virtualMemory.unmap(range, Unit / 2), HasSubstr("not mappings as a whole"));
  EXPECT_THAT(virtualMemory.unmap(range, 2 * Unit), IsEmpty());
}

TEST_F(VirtualMemoryTest, MapRefusesWhatItCannotDo) {
  const uint64_t range = virtualMemory.reserve(2 * Unit, 0, 0), handle = virtualMemory.create(Unit);
  bool mayHoldData = false;
  EXPECT_THAT(virtualMemory.map(range + 1, Unit, handle, mayHoldData), HasSubstr("multiples"));
  EXPECT_THAT(virtualMemory.map(range, 2 * Unit, handle, mayHoldData), HasSubstr("memory that has 2097152"));
  EXPECT_THAT(virtualMemory.map(range + 2 * Unit, Unit, handle, mayHoldData), HasSubstr("reserved range"));
  EXPECT_THAT(virtualMemory.map(range, Unit, handle + 1, mayHoldData), HasSubstr("handle"));
  EXPECT_THAT(virtualMemory.map(range, Unit, handle, mayHoldData), IsEmpty());
  EXPECT_THAT(virtualMemory.map(range, Unit, handle, mayHoldData), HasSubstr("already mapped"));
}

TEST_F(VirtualMemoryTest, MemoryLivesWhileItIsHeldOrMapped) {
  const uint64_t range = virtualMemory.reserve(2 * Unit, 0, 0), handle = mapped(range);
  EXPECT_EQ(memory.usedBytes(), Unit);
  *reinterpret_cast<uint64_t *>(range) = 42;
  EXPECT_THAT(virtualMemory.retain(*virtualMemory.handleAt(range + 5)), IsEmpty());
  EXPECT_THAT(virtualMemory.unmap(range, Unit), IsEmpty());
  EXPECT_THAT(virtualMemory.drop(handle), IsEmpty());
  bool mayHoldData = false;
  EXPECT_THAT(virtualMemory.map(range + Unit, Unit, handle, mayHoldData), IsEmpty());
  EXPECT_TRUE(mayHoldData);
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(range + Unit), 42u);
  EXPECT_THAT(virtualMemory.drop(handle), IsEmpty());
  EXPECT_THAT(virtualMemory.drop(handle), HasSubstr("released"));
  EXPECT_THAT(virtualMemory.map(range, Unit, handle, mayHoldData), HasSubstr("released"));
  EXPECT_EQ(memory.usedBytes(), Unit) << "still mapped";
  EXPECT_THAT(virtualMemory.unmap(range + Unit, Unit), IsEmpty());
  EXPECT_EQ(memory.usedBytes(), 0u);
}

TEST_F(VirtualMemoryTest, CapacityCounts) {
  EXPECT_EQ(virtualMemory.create(65 * Unit), 0u);
  const uint64_t handle = virtualMemory.create(40 * Unit);
  EXPECT_NE(handle, 0u);
  EXPECT_EQ(virtualMemory.create(40 * Unit), 0u);
  EXPECT_EQ(memory.allocate(40 * Unit, AllocationKind::Device), nullptr);
  EXPECT_THAT(virtualMemory.drop(handle), IsEmpty());
  EXPECT_NE(virtualMemory.create(40 * Unit), 0u);
}

const char *const Kernel = ".visible .entry k(.param .u64 at) { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                           "ld.param.u64 %rd0, [at]; ld.global.u32 %r0, [%rd0]; add.u32 %r0, %r0, 1;\n"
                           "st.global.u32 [%rd0], %r0; ret; }\n";

TEST(VirtualMemoryAccess, KernelsFaultWithoutAccess) {
  Runner runner(Kernel);
  VirtualMemory virtualMemory(runner.simulator.memory());
  const uint64_t range = virtualMemory.reserve(2 * Unit, 0, 0);
  bool mayHoldData = false;
  ASSERT_THAT(virtualMemory.map(range, Unit, virtualMemory.create(Unit), mayHoldData), IsEmpty());
  auto fault = [&] {
    LaunchResult result = runner.launch({1}, {1}, range);
    return result.fault ? result.fault->text : std::string();
  };
  EXPECT_THAT(fault(), HasSubstr("is in memory that is mapped without access"));
  ASSERT_THAT(virtualMemory.setAccess(range, Unit, MemoryAccess::Read), IsEmpty());
  EXPECT_THAT(fault(), HasSubstr("writes memory that is mapped for reading only"));
  ASSERT_THAT(virtualMemory.setAccess(range, Unit, MemoryAccess::ReadWrite), IsEmpty());
  EXPECT_THAT(fault(), IsEmpty());
  EXPECT_EQ(*reinterpret_cast<uint32_t *>(range), 1u);
  ASSERT_THAT(virtualMemory.setAccess(range, Unit, MemoryAccess::None), IsEmpty());
  EXPECT_THAT(fault(), HasSubstr("without access"));
  ASSERT_THAT(virtualMemory.unmap(range, Unit), IsEmpty());
  EXPECT_THAT(fault(), HasSubstr("touches freed memory"));
}

} // namespace
} // namespace heddle::vm::test
