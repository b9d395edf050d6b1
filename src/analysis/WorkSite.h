// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Uniformity.h"

#include <string>
#include <vector>

namespace clang {
class CompoundStmt;
class ForStmt;
class IfStmt;
class Stmt;
class SwitchCase;
class VarDecl;
} // namespace clang

namespace heddle::analysis {

/// One way that a branch over kinds can go.
struct KindArm {
  const clang::IfStmt *test = nullptr; ///< of an if-chain; null for its last `else`
  /// Of a switch: the labels that lead here.
  std::vector<const clang::SwitchCase *> labels;
  bool isEmpty = false; ///< there is nothing to do: `default: break;`
};

/// A switch or an if-chain.
struct KindBranch {
  const clang::Stmt *statement = nullptr;
  std::vector<KindArm> arms;
  bool isComplete = false; ///< it has a `default` or a last `else`
  Level level = Level::Thread;
  unsigned weight = 0; ///< of what is in the arms: for choosing among several

  bool isSwitch() const;
  unsigned armsWithWork() const;
};

/// One block of statements on the way to the branch: what holds the branch, and what is around that.
struct LevelOfWay {
  std::vector<const clang::Stmt *> before, behind;
  const clang::Stmt *holder = nullptr; ///< an `if` without else around the branch, or the branch itself
};

/// Where the work of a kernel's items is, and the branch that determines their kinds.
///
/// An item is a thread of the block, whose work is the end of the kernel's body from some statement on; or an
/// iteration of a loop in the kernel's body, whose work is the loop's body.
struct WorkSite {
  const clang::CompoundStmt *kernelBody = nullptr;
  const clang::ForStmt *loop = nullptr;     ///< of items; null where threads are the items
  const clang::VarDecl *counter = nullptr;  ///< the loop's
  std::vector<const clang::Stmt *> outside; ///< of the kernel's body: what comes before the work
  std::vector<const clang::Stmt *> work;    ///< the statements of an item
  std::vector<LevelOfWay> way;              ///< from the first of them to the branch
  KindBranch branch;
};

/// The branch with the most work in its cases that threads of a warp take differently; or what there is instead.
struct SiteSearch {
  std::vector<WorkSite> found;           ///< one, or none
  const clang::Stmt *uniform = nullptr;  ///< a branch that warps take as a whole
  const clang::Stmt *hidden = nullptr;   ///< a branch where no whole item goes one way: in a loop
  const clang::Stmt *oneSided = nullptr; ///< a branch with work in one arm only
};
SiteSearch findWorkSite(const clang::Stmt *kernelBody, const Uniformity &uniformity);

} // namespace heddle::analysis
