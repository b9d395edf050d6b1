// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Environment.h"
#include "analysis/walk/Findings.h"
#include "analysis/walk/Join.h"
#include "analysis/walk/ThreadIndices.h"

namespace heddle::analysis {
struct Barrier;
}

namespace heddle::analysis::walk {

class BlockBarriers;

/// A function that is being followed: the kernel, or a device function that is called.
struct Frame {
  const clang::FunctionDecl *function = nullptr;
  LValue self; ///< what `this` points at
  std::optional<Value> returned;
  std::optional<LValue> returnedLvalue; ///< of the last call that returned a reference
  std::optional<Environment::Changes> atReturn;
  size_t mark = 0; ///< of the environment, when the call began
};

/// Where the walk of a kernel is, and what is known there. Evaluating an expression or following a statement
/// takes a path to the point after it; what it finds on the way is added to the findings.
struct Path {
  // The same everywhere in the kernel.
  const source::Kernel &kernel;
  const source::Unit &unit;
  clang::ASTContext &context;
  const LaunchFacts &facts;
  SymbolTable &symbols;
  ArrayTable &arrays;
  ThreadIndices &indices;
  BlockBarriers &blockBarriers;
  Findings &found;

  // This point.
  Environment now = {};                   ///< the values of local variables
  Guards guards = nullptr;                ///< conditions that hold
  const Loop *loop = nullptr;             ///< the innermost loop
  Event *sequence = nullptr;              ///< where the next event belongs
  const clang::Stmt *statement = nullptr; ///< the innermost statement
  std::vector<Frame> frames = {};         ///< the kernel, then the calls that led here
  std::vector<SourceLocation> calls = {}; ///< the places of those calls
  bool isSilent = false;                  ///< evaluate only: nothing is added to the findings
  unsigned steps = 0;                     ///< statements and expressions so far

  bool isInKernel() const { return frames.size() == 1; }
  SourceLocation location(const clang::Stmt *at) const { return unit.location(at); }
  ValueScope scope() const { return {unit, facts, symbols, loop}; }
};

/// While it lives, the path adds nothing to the findings.
class Silence {
public:
  explicit Silence(Path &path) : path(path), before(std::exchange(path.isSilent, true)) {}
  ~Silence() { path.isSilent = before; }
  Silence(const Silence &) = delete;

private:
  Path &path;
  bool before;
};

/// From here on the condition holds (`negated`: `text` is that of the opposite).
void guard(const Condition &condition, const clang::Expr *text, bool negated, Path &path);

/// A new event at the end of the current sequence.
Event *append(Event::Kind kind, Path &path);
/// A barrier that the whole block, or a warp, waits at.
void appendBarrier(Event::Kind kind, const clang::Stmt *at, Path &path);
/// What a barrier puts in order: named barriers, and those that only some threads or none wait at, put
/// nothing in order for the whole block.
void noteBarrier(const Barrier &barrier, const clang::Stmt *at, Path &path);
/// The number of the region that an access at this point belongs to.
unsigned currentRegion(Path &path);
/// Something that is not followed. Each reason is noted once.
void noteGap(const clang::Stmt *at, std::string what, Path &path);

/// Join.h at this point.
Value joined(const Environment::Key &key, const Value &left, const Value &right, const Condition &decision,
             const SourceLocation &location, Path &path);
Environment::Changes joined(const Environment::Changes &left, const Environment::Changes &right,
                            const Condition &decision, const SourceLocation &location, Path &path);

} // namespace heddle::analysis::walk
