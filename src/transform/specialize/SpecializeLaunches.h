// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/specialize/RoleShape.h"

#include <cstdint>

namespace heddle::transform {

/// What a specialized kernel's launches must ask for.
struct RoleLaunch {
  const RoleShape &shape;
  bool stagesDynamic = false; ///< the dynamic shared memory that was asked for is a tile: once for each stage
  int64_t dynamicBytes = 0;   ///< tiles that are too large to be static, all stages; 0 for none
};

/// Rewrites every launch: a flat block with the producers behind, dynamic shared memory for the stages. A
/// block known only at run time is compared with the one the kernel was specialized for. False, with a
/// refusal, where a launch cannot be rewritten. `launches` gets their number.
bool specializeLaunches(Context &context, const RoleLaunch &wanted, unsigned &launches);

} // namespace heddle::transform
