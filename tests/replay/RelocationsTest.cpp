// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/Relocations.h"

#include <gmock/gmock.h>

namespace heddle::replay {
namespace {

MATCHER_P3(PointerIs, offset, variable, delta, "") {
  return arg.offset == uint64_t(offset) && arg.variable == size_t(variable) && arg.delta == uint64_t(delta);
}

TEST(Relocations, ValuesInVariablesAreFound) {
  capture::Manifest manifest;
  manifest.variables = {{"unknown", 16, capture::VariableKind::Device},
                        {"table", 16, capture::VariableKind::Constant, 0x7f0000001000},
                        {"unused", 16, capture::VariableKind::Device, 0x7f0000002000},
                        {"last", 4, capture::VariableKind::Managed, 0x7f0000003000}};
  manifest.pointsIntoVariables = {"table", "last", "unknown"};
  const VariableSearch search(manifest);
  EXPECT_TRUE(search.isNeeded());
  const uint64_t words[] = {0x7f0000001000, 0x7f000000100f, 0x7f0000001010,
                            0x7f0000002000, 0x7f0000003003, 5};
  std::vector<PointerIntoVariable> found;
  search.search(reinterpret_cast<const uint8_t *>(words), sizeof words, 8, 100, found);
  EXPECT_THAT(found, testing::ElementsAre(PointerIs(100, 1, 0), PointerIs(108, 1, 15), PointerIs(132, 3, 3)));
  manifest.pointsIntoVariables = {"unknown"};
  EXPECT_FALSE(VariableSearch(manifest).isNeeded());
}

TEST(Relocations, StepDecidesWhereValuesMayBegin) {
  capture::Manifest manifest;
  manifest.variables = {{"table", 16, capture::VariableKind::Device, 0x7f0000001000}};
  manifest.pointsIntoVariables = {"table"};
  const uint32_t words[] = {1, 0x1008, 0x7f00, 0};
  std::vector<PointerIntoVariable> found;
  const VariableSearch search(manifest);
  search.search(reinterpret_cast<const uint8_t *>(words), sizeof words, 8, 0, found);
  EXPECT_THAT(found, testing::IsEmpty());
  search.search(reinterpret_cast<const uint8_t *>(words), sizeof words, 4, 0, found);
  EXPECT_THAT(found, testing::ElementsAre(PointerIs(4, 0, 8)));
  // The last value is whole.
  found.clear();
  search.search(reinterpret_cast<const uint8_t *>(words), 8, 4, 0, found);
  EXPECT_THAT(found, testing::IsEmpty());
}

} // namespace
} // namespace heddle::replay
