// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that a kernel executes without naming it: destructors, conversions, virtual and library functions.
//
// A transform that replaces the thread's index, the block or shared memory rewrites functions that are called
// by name. It cannot give another parameter to a destructor or to a function of a header:
//
//     struct Guard { __device__ ~Guard() { log[threadIdx.x] = 1; } };
//     { Guard g; ... }                                                        // reads the index here
//
// 1. Reach (Execution.cpp) lists everything that the kernel executes, how it got there, and what it cannot
//    know.
// 2. Each hidden part is searched for an index that the transform replaces, a barrier that cuts the code,
//    and, where shared memory moves, uses of shared variables.
// 3. Functions that are called by name are searched for indices that are read past the built-in variables:
//    %tid in assembly, or Clang's functions for special registers.
//
// The first finding is the refusal, at the place in the kernel that leads to it, with a note at the code
// itself. Statements are visited in the order of the text, so that the same one is named on every run. Cost:
// linear in all code that the kernel reaches.
#include "analysis/HiddenCode.h"

#include "analysis/Barriers.h"
#include "analysis/Execution.h"
#include "analysis/StatementShape.h"
#include "analysis/Uses.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

using namespace clang;

namespace heddle::analysis {

namespace {

/// Calls that the analysis of barriers follows, so that barriers inside them are known where they matter.
bool isFollowedForBarriers(const Reached &reached) {
  using How = Executed::How;
  if (reached.isLibrary)
    return false;
  for (const Reached *at = &reached; at->from; at = at->from)
    if (at->step.how > How::Conversion)
      return false;
  return true;
}

/// The built-in variable of a special register, written as in assembly ("%tid.x") or as Clang's function for it
/// ("__nvvm_read_ptx_sreg_tid_x"); nothing where the text names none. Of several, the first in this table.
std::optional<ThreadBuiltin> registerIn(llvm::StringRef text) {
  using Kind = ThreadBuiltin::Kind;
  static const std::pair<const char *, Kind> registers[] = {
      {"%tid", Kind::ThreadIdx},
      {"%ntid", Kind::BlockDim},
      {"%ctaid", Kind::BlockIdx},
      {"%nctaid", Kind::GridDim},
      {"__nvvm_read_ptx_sreg_tid", Kind::ThreadIdx},
      {"__nvvm_read_ptx_sreg_ntid", Kind::BlockDim},
      {"__nvvm_read_ptx_sreg_ctaid", Kind::BlockIdx},
      {"__nvvm_read_ptx_sreg_nctaid", Kind::GridDim},
  };
  for (auto [name, kind] : registers) {
    size_t at = text.find(name);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef rest = text.drop_front(at + llvm::StringRef(name).size());
    const size_t dimension = rest.size() > 1 ? llvm::StringRef("xyz").find(rest[1]) : llvm::StringRef::npos;
    return ThreadBuiltin{kind, dimension < 3 ? unsigned(dimension) : 3u};
  }
  return std::nullopt;
}

class HiddenCodeReader {
public:
  HiddenCodeReader(const source::Kernel &kernel, const ChangedThreads &changed)
      : kernel(kernel), unit(*kernel.unit), changed(changed) {}

  std::optional<Diagnostic> run() {
    const Reach reach = Reach::of(kernel.function, unit);
    for (const Reached &each : reach.unknown())
      refuse(each,
             fmt::format("{}: what it executes is not known, and it may read the thread's index or wait "
                         "at a barrier",
                         each.step.str()));
    for (const Reached &each : reach.all()) {
      if (each.isHidden && !found)
        look(each);
      if (each.from && !found)
        lookForRegisters(each);
    }
    return found;
  }

private:
  SourceLocation locationOf(const Reached &reached) const {
    const Stmt *at = reached.inKernel();
    return at ? unit.location(at) : kernel.location;
  }
  Diagnostic &refuse(const Reached &reached, std::string why) {
    if (!found)
      found = Diagnostic{Severity::Refusal, locationOf(reached), std::move(why), {}, {}};
    return *found;
  }

  void look(const Reached &reached) {
    const Uses uses = reached.uses();
    const bool isItself = &reached.hiddenStep() == &reached.step;
    const std::string name = reached.hiddenStep().str();
    for (const Uses::Builtin &builtin : uses.builtins)
      if (!found && changed.index(builtin.what))
        refuse(reached, fmt::format("{} {} '{}' and cannot be given another parameter", name,
                                    isItself ? "reads" : "calls a function that reads", builtin.what.name()))
            .note(unit.location(builtin.range), "it is read here");
    // In the order of the text, so that the same statement is named on every run.
    std::vector<const Stmt *> inOrder(uses.statements.begin(), uses.statements.end());
    std::sort(inOrder.begin(), inOrder.end(), [](const Stmt *a, const Stmt *b) {
      return a->getBeginLoc().getRawEncoding() < b->getBeginLoc().getRawEncoding();
    });
    for (const Stmt *statement : inOrder)
      if (!found)
        lookAt(reached, statement, name);
    if (changed.shared && !found)
      lookForShared(reached, uses, name);
  }

  /// No parameter takes the place of a register, in functions that are called by name either.
  void lookForRegisters(const Reached &reached) {
    const Uses uses = reached.uses();
    auto note = [&](const Stmt *statement, llvm::StringRef text, const char *what) {
      std::optional<ThreadBuiltin> builtin = registerIn(text);
      if (builtin && changed.index(*builtin) && !found)
        refuse(reached, fmt::format("{} reads the thread's or block's index, which is not analyzed", what))
            .note(unit.location(statement), "it is read here");
    };
    for (const Stmt *statement : uses.statements)
      if (auto *assembly = dyn_cast<GCCAsmStmt>(statement))
        note(statement, assembly->getAsmString(), "assembly");
    for (const CallExpr *call : uses.calls)
      if (const FunctionDecl *callee = call->getDirectCallee(); callee && callee->getIdentifier())
        note(call, callee->getName(), "a function of the compiler");
  }

  void lookAt(const Reached &reached, const Stmt *statement, const std::string &name) {
    std::optional<Barrier> barrier = barrierAt(statement, unit.context());
    if (barrier && barrier->cutsRegion() && !isFollowedForBarriers(reached))
      refuse(reached, fmt::format("{} waits at the barrier '{}', and code cannot be split there", name,
                                  barrier->spelling))
          .note(unit.location(statement), "the barrier is here");
  }

  void lookForShared(const Reached &reached, const Uses &uses, const std::string &name) {
    for (const Stmt *statement : uses.statements) {
      const VarDecl *variable = nullptr;
      for (const VarDecl *each : declaredBy(statement))
        variable = each->hasAttr<CUDASharedAttr>() ? each : variable;
      if (auto *reference = dyn_cast<DeclRefExpr>(statement))
        if (auto *each = dyn_cast<VarDecl>(reference->getDecl()); each && each->hasAttr<CUDASharedAttr>())
          variable = each;
      if (variable && !found)
        refuse(reached, fmt::format("{} uses the shared variable '{}', and cannot be given another one", name,
                                    variable->getNameAsString()))
            .note(unit.location(statement), "it is used here");
    }
  }

  const source::Kernel &kernel;
  const source::Unit &unit;
  const ChangedThreads &changed;
  std::optional<Diagnostic> found;
};

} // namespace

ChangedThreads ChangedThreads::of(std::set<ThreadBuiltin::Kind> kinds, bool shared) {
  return {[kinds = std::move(kinds)](const ThreadBuiltin &builtin) { return kinds.contains(builtin.kind); },
          shared};
}

std::optional<Diagnostic> failureInHiddenCode(const source::Kernel &kernel, const ChangedThreads &changed) {
  return HiddenCodeReader(kernel, changed).run();
}

} // namespace heddle::analysis
