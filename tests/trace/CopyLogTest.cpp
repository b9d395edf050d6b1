// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/CopyLog.h"

#include "support/Paths.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace heddle::trace {
namespace {

std::string written(const std::filesystem::path &file, const std::vector<uint64_t> &sequences) {
  CopyLogWriter writer;
  EXPECT_TRUE(writer.open(file.string()));
  for (uint64_t sequence : sequences) {
    CopyRecord record;
    record.sequence = sequence;
    record.kernel = std::string(sequence, 'k');
    record.bytes.assign(3 * sequence, uint8_t(sequence));
    record.offset = sequences.size();
    writer.write(record);
  }
  return file.string();
}

std::vector<uint64_t> read(const std::string &file) {
  CopyLogReader reader;
  EXPECT_TRUE(reader.open(file));
  std::vector<uint64_t> sequences;
  for (CopyRecord record; reader.next(record);) {
    EXPECT_EQ(record.kernel.size(), record.sequence);
    EXPECT_EQ(record.bytes, std::vector<uint8_t>(3 * record.sequence, uint8_t(record.sequence)));
    sequences.push_back(record.sequence);
  }
  return sequences;
}

/// Streams do their copies in any order.
TEST(CopyLog, IsReadInTheOrderOfTheCalls) {
  TemporaryFolder folder;
  EXPECT_EQ(read(written(folder.path() / "log", {3, 1, 4, 2, 2})), (std::vector<uint64_t>{1, 2, 2, 3, 4}));
}

TEST(CopyLog, LeavesOutARecordThatIsCutShort) {
  TemporaryFolder folder;
  const std::string file = written(folder.path() / "log", {2, 3, 1});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_EQ(read(file), (std::vector<uint64_t>{2, 3}));
}

} // namespace
} // namespace heddle::trace
