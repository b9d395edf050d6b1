// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/SymbolicValue.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::analysis {

/// The symbolic values of local variables at one point of the program.
///
/// Branches are followed one after the other from the same state. Copying all variables for each branch makes
/// a generated kernel with thousands of both take minutes, so changes are noted and undone instead.
class Environment {
public:
  /// A variable, and ".a.b" for a member of it.
  using Key = std::pair<const clang::VarDecl *, std::string>;
  struct Change {
    std::optional<Value> before, after; ///< nothing: no value set
  };
  using Changes = std::map<Key, Change>;

  const Value *find(const Key &key) const;
  bool has(const Key &key) const { return find(key) != nullptr; }
  void set(const Key &key, std::optional<Value> value);
  /// The variable and all its members have no value any more.
  void clear(const clang::VarDecl *variable);
  std::vector<std::pair<std::string, Value>> members(const clang::VarDecl *variable) const;

  /// Changes are noted from here on. Marks nest; each is ended by one call of undo or keep.
  size_t mark();
  Changes since(size_t mark) const;
  /// Takes back what was changed since the mark and returns it.
  Changes undo(size_t mark);
  void keep(size_t mark);
  void apply(const Changes &changes);

  /// What references are bound to; set where they are declared and never changed.
  std::map<const clang::VarDecl *, LValue> references;

private:
  std::map<Key, Value> values;
  std::vector<std::pair<Key, std::optional<Value>>> journal; ///< what was there before, oldest first
  unsigned marks = 0;
};

} // namespace heddle::analysis
