// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a real device said, against what the table and the calculation say.
#include "Tables.h"
#include "arch/Occupancy.h"

#include <fstream>

using namespace heddle;
using namespace heddle::arch;

namespace {

void checkBlocks(std::istream &row, const std::string &line) {
  KernelResources kernel;
  int carveout = 0;
  unsigned measured = 0;
  row >> kernel.registersPerThread >> kernel.threadsPerBlock >> kernel.staticSharedBytes >>
      kernel.dynamicSharedBytes >> carveout >> measured;
  ASSERT_FALSE(row.fail()) << line;
  auto percent = carveout < 0 ? std::nullopt : std::optional<unsigned>(carveout);
  EXPECT_EQ(occupancy(table("h200"), kernel, percent).blocksPerSm, measured) << line;
}

void checkBlockSize(std::istream &row, const std::string &line) {
  KernelResources kernel;
  unsigned blockSize = 0, gridSize = 0;
  row >> kernel.registersPerThread >> kernel.staticSharedBytes >> blockSize >> gridSize;
  ASSERT_FALSE(row.fail()) << line;
  BlockSizeChoice ours = bestBlockSize(table("h200"), kernel);
  EXPECT_EQ(ours.threadsPerBlock, blockSize) << line;
  EXPECT_EQ(ours.minGridSize, gridSize) << line;
}

} // namespace

TEST(MeasuredOnH200, OccupancyIsWhatTheRuntimeSays) {
  std::ifstream data(HEDDLE_SOURCE_DIR "/tests/arch/data/h200-occupancy.txt");
  unsigned rows = 0;
  for (std::string line; std::getline(data, line);) {
    std::istringstream row(line);
    std::string kind;
    row >> kind;
    if (kind == "B")
      ++rows, checkBlocks(row, line);
    else if (kind == "M")
      ++rows, checkBlockSize(row, line);
  }
  EXPECT_GT(rows, 100u);
}
