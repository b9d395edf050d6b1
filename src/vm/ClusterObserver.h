// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Observer.h"

#include <cstdint>

namespace heddle::vm {

/// An observer that also sees accesses of a block to shared memory of other blocks of its cluster.
class ClusterObserver {
public:
  virtual ~ClusterObserver() = default;
  /// Lanes of `event.mask` access the shared memory of block `home`; their addresses are offsets into it.
  virtual void remoteAccess(const WarpRef &, SiteRef, const AccessEvent &event, uint64_t home) = 0;
};

} // namespace heddle::vm
