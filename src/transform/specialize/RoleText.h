// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Code.h"
#include "transform/Names.h"
#include "transform/specialize/ConsumerGroups.h"
#include "transform/specialize/ConsumerOrder.h"
#include "transform/specialize/CopyForm.h"
#include "transform/specialize/RoleShape.h"

#include <cstdint>

namespace heddle::transform {

/// What the text of a specialized kernel is made from.
struct RolePlan {
  const RoleView &view;
  const RoleSplit &split;
  const RoleShape &shape;
  const std::vector<CopyForm> &copies;
  const GroupSplit &groups;
  const ConsumerOrder &order;
  int64_t tileBytes = 0;        ///< of one stage, in static shared memory
  bool tilesAreDynamic = false; ///< they are too large to be static
};

/// The new body of the kernel, with its braces:
///
///     using Roles = ...; using Pipe = ...;
///     the tiles, once for each stage
///     if (Roles::isProducer()) { the producer's statements }
///     the consumer's statements
///
/// A refusal where some of the text cannot be had.
std::variant<source::Code, Diagnostic> specializedBody(const RolePlan &plan, Names &names);

} // namespace heddle::transform
