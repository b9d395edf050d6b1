// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Rewriter.h"
#include "transform/specialize/RoleNames.h"

namespace heddle::transform {

/// The text that brings tiles by bulk copies:
///
///     const auto fromTile = [&](int y, int x) { return &in[(top + y) * pitch + left + x]; };
///     const auto isInTile = [&](int y, int x) { return top + y < rows && left + x < columns; };
///     if (isInTile(0, 0) && isInTile(31, 31) && heddle::suitsBulk(fromTile(0, 0), ...)) {
///       for (unsigned row = ...; ...) producer.copyRow(&tile[stage][row][0], fromTile(row, 0), 32);
///
/// Where the tile is cut off at an edge, or memory is not aligned, elements are loaded one by one.
struct BulkLoad {
  source::Code declarations;
  source::Code condition; ///< of an `if`, over several lines
  source::Code copies;
};

/// `first`: the first statement of the iteration that is the load's.
BulkLoad bulkLoad(const RolePlan &plan, const RoleNames &names, const RoleParts &parts,
                  source::Rewriter &text, const std::vector<const CopyForm *> &forms, size_t first);

} // namespace heddle::transform
