// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Environment.h"
#include "analysis/walk/ArrayTable.h"
#include "analysis/walk/ValueScope.h"

namespace heddle::analysis::walk {

// What is known after a branch. `decision` says which way was taken and `location` is the branch, for the
// names of new symbols and for reasons.

/// A variable that has the value `left` after one way and `right` after the other.
Value joined(const Environment::Key &key, const Value &left, const Value &right, const Condition &decision,
             const SourceLocation &location, ArrayTable &arrays, const ValueScope &scope);

/// All variables: what two ways that began with the same values have changed.
Environment::Changes joined(const Environment::Changes &left, const Environment::Changes &right,
                            const Condition &decision, const SourceLocation &location, ArrayTable &arrays,
                            const ValueScope &scope);

} // namespace heddle::analysis::walk
