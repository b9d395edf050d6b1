// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a vote can be taken apart: it is the whole of what a statement assigns or declares, the whole
// condition of an `if` (also negated or compared with a constant), or that of a `do` loop that is not
// continued from inside. Elsewhere the barrier may be passed over by `&&`, or are in a loop's head.
#include "transform/work/BlockVotes.h"

#include "analysis/CallEffects.h"
#include "analysis/StatementShape.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "transform/Names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

using namespace clang;

namespace heddle::transform {

namespace {

std::optional<BlockVote::Kind> kindOf(const CallExpr *call) {
  const FunctionDecl *callee = analysis::calleeOf(call);
  if (!callee || !callee->getIdentifier() || call->getNumArgs() != 1)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<BlockVote::Kind>>(callee->getName())
      .Case("__syncthreads_or", BlockVote::Kind::Any)
      .Case("__syncthreads_and", BlockVote::Kind::All)
      .Case("__syncthreads_count", BlockVote::Kind::Count)
      .Default(std::nullopt);
}

const CallExpr *asVote(const Expr *expression) {
  auto *call = expression ? dyn_cast<CallExpr>(expression->IgnoreParenImpCasts()) : nullptr;
  return call && kindOf(call) ? call : nullptr;
}

/// The vote that is all of what a statement assigns or declares.
const CallExpr *assignedIn(const Stmt *statement) {
  if (auto *declaration = dyn_cast<DeclStmt>(statement); declaration && declaration->isSingleDecl())
    if (auto *variable = dyn_cast<VarDecl>(declaration->getSingleDecl()))
      return asVote(variable->getInit());
  auto *assignment = dyn_cast<BinaryOperator>(statement);
  return assignment && assignment->getOpcode() == BO_Assign ? asVote(assignment->getRHS()) : nullptr;
}

/// The vote that a condition begins with, whatever it turns out to be.
const CallExpr *decidingIn(const Expr *condition) {
  if (const CallExpr *call = asVote(condition))
    return call;
  if (auto *negation = dyn_cast<UnaryOperator>(condition->IgnoreParenImpCasts()))
    return negation->getOpcode() == UO_LNot ? decidingIn(negation->getSubExpr()) : nullptr;
  auto *comparison = dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
  return comparison && comparison->isComparisonOp() ? asVote(comparison->getLHS()) : nullptr;
}

class Apart {
public:
  explicit Apart(const Kernel &kernel) : unit(*kernel.unit), text(unit), names(unit) {}

  void look(const Stmt *statement, bool isInBlock) {
    takeAssigned(statement, isInBlock);
    if (!statement || isa<Expr>(statement))
      return;
    if (auto *branch = dyn_cast<IfStmt>(statement); branch && isInBlock && !branch->getInit())
      takeDeciding(branch, decidingIn(branch->getCond()));
    if (auto *loop = dyn_cast<DoStmt>(statement))
      takeRepeating(loop, decidingIn(loop->getCond()));
    for (const Stmt *child : statement->children())
      look(child, isa<CompoundStmt>(statement));
  }
  source::Edits edits;

private:
  /// A vote whose text cannot be had is left as it is.
  void commit(const source::Edits &ofVote) {
    if (!text.failure)
      edits.append(ofVote);
    text.failure.reset();
  }

  /// "const int vote = (...) != 0;", with the name that it gives.
  std::string said(const CallExpr *call, std::string &vote) {
    vote = names.fresh("vote");
    return fmt::format("const int {} = ({}) != 0;", vote, text.text(call->getArg(0)));
  }
  std::string called(const CallExpr *call, const std::string &vote) const {
    return fmt::format("{}({})", analysis::calleeOf(call)->getNameAsString(), vote);
  }

  void takeAssigned(const Stmt *statement, bool isInBlock) {
    const CallExpr *call = statement && isInBlock ? assignedIn(statement) : nullptr;
    if (!call || votedIn(statement))
      return;
    source::Edits ofVote;
    std::string vote;
    text.insertOnLine(ofVote, statement->getBeginLoc(), said(call, vote));
    ofVote.replace(unit, call->getArg(0)->getSourceRange(), vote);
    commit(ofVote);
  }

  void takeDeciding(const IfStmt *branch, const CallExpr *call) {
    if (!call)
      return;
    source::Edits ofVote;
    const std::string votes = names.fresh("votes");
    std::string vote;
    Code before = said(call, vote);
    text.insertOnLine(ofVote, branch->getBeginLoc(),
                      before.addf("const int {} = {};", votes, called(call, vote)));
    ofVote.replace(unit, call->getSourceRange(), votes);
    commit(ofVote);
  }

  void takeRepeating(const DoStmt *loop, const CallExpr *call) {
    auto *body = dyn_cast<CompoundStmt>(loop->getBody());
    if (!call || !body || std::ranges::any_of(Uses::of(body).statements, [](const Stmt *inside) {
          return isa<ContinueStmt>(inside);
        }))
      return;
    source::Edits ofVote;
    const std::string votes = names.fresh("votes");
    std::string vote;
    Code last = said(call, vote);
    last.addf("{} = {};", votes, called(call, vote));
    text.insertOnLine(ofVote, loop->getBeginLoc(), fmt::format("int {};", votes));
    text.insertOnLine(ofVote, body->getRBracLoc(), last.deeper());
    ofVote.replace(unit, call->getSourceRange(), votes);
    commit(ofVote);
  }

  const Unit &unit;
  source::Rewriter text;
  Names names;
};

} // namespace

std::optional<BlockVote> votedIn(const Stmt *statement) {
  const CallExpr *call = assignedIn(statement);
  const VarDecl *vote = call ? analysis::namedVariable(call->getArg(0)) : nullptr;
  // One that is set to 0 or 1 and never changed: votes can be added up, and joined bit by bit.
  auto *value = vote && vote->hasLocalStorage() && vote->getType().isConstQualified() && vote->getInit()
                    ? dyn_cast<BinaryOperator>(vote->getInit()->IgnoreParenImpCasts())
                    : nullptr;
  if (!value || value->getOpcode() != BO_NE)
    return std::nullopt;
  return BlockVote{*kindOf(call), call, vote};
}

std::optional<Needs> takeVotesApart(Context &, const Kernel &kernel) {
  Apart apart(kernel);
  apart.look(kernel.function->getBody(), false);
  return neededEdits("block-votes", std::move(apart.edits));
}

} // namespace heddle::transform
