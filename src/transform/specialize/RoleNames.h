// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "source/Render.h"
#include "transform/specialize/BulkForms.h"
#include "transform/specialize/RoleText.h"

namespace heddle::transform {

/// What a specialized kernel calls its own things.
struct RoleNames {
  explicit RoleNames(Names &names);

  std::string roles, pipe, barriers, producer, consumer, stage, thread, tilesType, tilesMemory;
  std::array<std::string, 3> threadIndex;

  /// "const unsigned threadX = thread % 16, threadY = thread / 16;" of the dimensions that the block has.
  std::string threadIndices(const std::string &linear, const RoleShape &shape) const;
};

/// The parts of a kernel's text that are others in one of the roles: built-in variables, mentions of tiles,
/// heads of loops that are distributed.
class RoleParts {
public:
  RoleParts(const source::Unit &unit, const RolePlan &plan, const RoleNames &names, bool isProducer);

  std::vector<source::Replacement> within(clang::SourceRange range) const;
  bool usesThreadNames() const { return namesThread; }
  /// The producer's loop whose iterations producers distribute among themselves.
  bool isDistributed(const clang::Stmt *loop) const { return distributed.contains(loop); }

private:
  void add(clang::SourceRange range, std::string text);
  void addBuiltins(const KernelNode &node);
  void addTiles(const KernelNode &node);
  void addDistributed();
  std::optional<DistributedLoop> distributedLoopOf(const KernelNode &statement) const;
  void addGroups();
  std::optional<std::string> threadText(unsigned dimension);

  struct Part {
    size_t begin = 0, end = 0; ///< tokens
    source::Replacement replacement;
  };
  const source::Unit &unit;
  const RolePlan &plan;
  const RoleNames &names;
  const bool isProducer;
  std::vector<Part> parts;
  std::set<const clang::Stmt *> distributed;
  bool namesThread = false;
};

} // namespace heddle::transform
