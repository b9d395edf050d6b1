// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/CopyRecorder.h"

#include "support/Paths.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace heddle::trace {
namespace {

/// Two allocations: the first is on the device, the host reads the second.
struct CopyRecorderTest : testing::Test {
  CopyRecorderTest() { EXPECT_TRUE(recorder.open(file)); }

  std::optional<Piece> find(uint64_t address) const {
    for (const Piece &piece : {device, shared})
      if (address - piece.address < piece.bytes)
        return piece;
    return std::nullopt;
  }
  template <class... Arguments> void launch(const std::string &kernel, const Arguments &...arguments) {
    recorder.launched(kernel, {ArgumentBytes{&arguments, sizeof arguments}...},
                      [this](uint64_t address) { return find(address); });
  }
  std::vector<CopyRecord> records() const {
    std::vector<CopyRecord> all;
    CopyLogReader reader;
    if (!std::filesystem::file_size(file)) // nothing was written yet
      return all;
    EXPECT_TRUE(reader.open(file));
    for (CopyRecord record; reader.next(record);)
      all.push_back(record);
    return all;
  }

  TemporaryFolder folder;
  std::string file = (folder.path() / "log").string();
  char memory[2][64] = {};
  Piece device{1, reinterpret_cast<uint64_t>(memory[0]), 64, false, {}};
  Piece shared{2, reinterpret_cast<uint64_t>(memory[1]), 64, true, {}};
  CopyRecorder recorder;
};

TEST_F(CopyRecorderTest, ACopyHasTheNewestKernelThatItsMemoryWasPassedTo) {
  struct {
    int count;
    void *values;
  } both{3, memory[0] + 16};
  launch("first", 7, static_cast<void *>(memory[0]));
  launch("second", both);
  launch("third", 1.0);
  recorder.copied(recorder.nextSequence(), device, device.address + 8, {1, 2, 3, 4}, 4);
  ASSERT_EQ(records().size(), 1u);
  const CopyRecord record = records()[0];
  EXPECT_EQ(record.kernel, "second");
  EXPECT_EQ(record.kernelLaunch, 2u);
  EXPECT_EQ(record.kernelParameter, 0);
  EXPECT_EQ(record.launches, 3u);
  EXPECT_EQ(record.offset, 8u);
  EXPECT_EQ(record.allocationBytes, 64u);
  EXPECT_EQ(record.bytes, (std::vector<uint8_t>{1, 2, 3, 4}));
}

TEST_F(CopyRecorderTest, ACopyFromNowhereInParticularHasNoKernel) {
  launch("first", static_cast<void *>(memory[0]));
  recorder.copied(recorder.nextSequence(), std::nullopt, 0, {9}, 1);
  EXPECT_EQ(records().at(0).kernel, "");
  EXPECT_EQ(records().at(0).allocation, 0u);
  EXPECT_EQ(records().at(0).kernelParameter, -1);
}

TEST_F(CopyRecorderTest, WaitingRecordsWhatTheHostCanReadAndKernelsWerePassed) {
  char variable[4] = {};
  const Piece named{0, reinterpret_cast<uint64_t>(variable), 4, true, "total"};
  auto readable = [&] { return std::vector<Piece>{shared, named}; };
  recorder.hostHasWaited(readable);
  EXPECT_EQ(records().size(), 0u) << "nothing was launched";
  launch("first", static_cast<void *>(memory[1]));
  recorder.hostHasWaited(readable);
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(records()[0].kernel, "total") << "variables come first";
  EXPECT_EQ(records()[1].kernel, "first");
  launch("second", static_cast<void *>(memory[0]));
  recorder.hostHasWaited(readable);
  ASSERT_EQ(records().size(), 3u) << "the allocation was not passed to a kernel again";
  EXPECT_EQ(records()[2].kernel, "total");
  recorder.hostHasWaited(readable);
  EXPECT_EQ(records().size(), 3u);
}

TEST_F(CopyRecorderTest, AKernelWithoutResultsIsNoReasonToRecordMemory) {
  void *pointer = memory[1];
  recorder.launched(
      "aside", {{&pointer, sizeof pointer}}, [this](uint64_t address) { return find(address); }, false);
  recorder.hostHasWaited([&] { return std::vector<Piece>{shared}; });
  EXPECT_EQ(records().size(), 0u);
}

TEST(PackedRows, LeaveOutWhatIsBetweenThem) {
  const uint8_t memory[] = {1, 2, 0, 3, 4, 0};
  EXPECT_EQ(packedRows(memory, 3, 2, 2), (std::vector<uint8_t>{1, 2, 3, 4}));
}

} // namespace
} // namespace heddle::trace
