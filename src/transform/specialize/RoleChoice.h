// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/specialize/ConsumerGroups.h"
#include "transform/specialize/CopyForm.h"
#include "transform/specialize/RoleShape.h"

#include <cstdint>

namespace heddle::transform {

const char *nameOf(RoleShape::Copy copy);
const char *nameOf(RoleShape::Barrier barrier);

/// What a choice of roles depends on.
struct RoleQuestion {
  const RoleView &view;
  const RoleSplit &split;
  const std::vector<CopyForm> &copies;
  std::array<int64_t, 3> block;
  int64_t tileBytes = 0;  ///< of one stage
  int64_t otherBytes = 0; ///< of shared memory besides
  unsigned registers = 0; ///< that a thread of the original needs, about
};

struct RoleChoice {
  RoleShape shape;
  GroupSplit groups;
  bool pays = true;
  std::string reason; ///< why it was chosen, or why not
  std::vector<Diagnostic::Note> notes;
};

/// What was asked for, with what was left open chosen by the architecture and by what the kernel does; a
/// refusal where something asked for cannot be had.
std::variant<RoleChoice, Diagnostic> chooseRoles(Context &context, const RoleQuestion &question);

} // namespace heddle::transform
