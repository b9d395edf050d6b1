// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognizing barriers, however they are written.
//
//     __syncthreads();  block.sync();  cg::sync(tile);  asm volatile("bar.sync 1, 64;");  bar.arrive_and_wait();
//
// All of them become one description: who waits (warp, a number of threads, block, cluster, grid, or the participants of an asynchronous
// barrier), and whether the statement arrives, waits or both.
//
// 1. Functions of the toolkit are rows of Barriers.def, with the positions of the barrier's number and the
//    count of threads among their arguments.
// 2. Cooperative groups are recognized by their namespace, and who waits by the static type of the group. A
//    plain `thread_group` may be anything; `ofUnknownGroup` reports that.
// 3. cuda::barrier and cuda::pipeline are recognized by namespace and member name; they are asynchronous.
// 4. Inline PTX is split at semicolons; constant operands (`"n"(1)`) are filled in before it is read.
//
// Barrier 0 without a count of threads is __syncthreads under another name, so it becomes a block barrier. A
// count that is given but is not a constant is treated as "not the whole block". Only the first barrier of an
// assembly statement is reported. Barriers in called functions are the callers' matter (BarrierRegions,
// Execution).
#include "analysis/Barriers.h"

#include "analysis/CallEffects.h"
#include "analysis/ThreadBuiltins.h"

using namespace clang;

namespace heddle::analysis {
namespace {

using Scope = Barrier::Scope;
using Action = Barrier::Action;

struct BarrierRow {
  llvm::StringRef name;
  Scope scope;
  Action action;
  int idArgument, threadsArgument;
};
const BarrierRow barrierRows[] = {
#define BARRIER(name, scope, action, id, threads) {name, Scope::scope, Action::action, id, threads},
#include "analysis/Barriers.def"
};

std::optional<int64_t> constantArgument(const CallExpr *call, int index, const ASTContext &context) {
  Expr::EvalResult result;
  if (index < 0 || unsigned(index) >= call->getNumArgs() ||
      call->getArg(unsigned(index))->isValueDependent() ||
      !call->getArg(unsigned(index))->EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

/// Barrier 0 without a count of threads is the one __syncthreads uses: all threads of the block.
void settleScope(Barrier &barrier) {
  if (barrier.scope == Scope::Named && barrier.id == 0 && !barrier.threads && barrier.action == Action::Sync)
    barrier.scope = Scope::Block;
}

std::optional<Barrier> barrierNamed(const CallExpr *call, llvm::StringRef name, const ASTContext &context) {
  for (const BarrierRow &row : barrierRows) {
    bool fits = row.name.ends_with("*") ? name.starts_with(row.name.drop_back()) : name == row.name;
    if (!fits)
      continue;
    Barrier barrier;
    barrier.scope = row.scope;
    barrier.action = row.action;
    barrier.id = constantArgument(call, row.idArgument, context);
    barrier.threads = constantArgument(call, row.threadsArgument, context);
    if (row.threadsArgument >= 0 && !barrier.threads)
      barrier.threads = -1; // given, but not known: not all of the block
    settleScope(barrier);
    if (barrier.threads == -1)
      barrier.threads.reset();
    barrier.votes = !call->getType()->isVoidType() && row.scope != Scope::Async;
    return barrier;
  }
  return std::nullopt;
}

Scope scopeOf(GroupKind group) {
  switch (group) {
  case GroupKind::WarpTile:
  case GroupKind::SmallTile:
  case GroupKind::Coalesced: return Scope::Warp;
  case GroupKind::Cluster: return Scope::Cluster;
  case GroupKind::Grid: return Scope::Grid;
  case GroupKind::Block: return Scope::Block;
  case GroupKind::LargeTile:
  case GroupKind::None: // a thread_group, which may be anything
    break;
  }
  return Scope::Named;
}

bool isIn(const DeclContext *scope, llvm::StringRef name) {
  for (; scope; scope = scope->getParent())
    if (auto *space = dyn_cast<NamespaceDecl>(scope);
        space && space->getIdentifier() && space->getName() == name)
      return true;
  return false;
}

std::optional<Action> actionOfMember(llvm::StringRef name) {
  if (name == "sync")
    return Action::Sync;
  if (name == "barrier_arrive")
    return Action::Arrive;
  if (name == "barrier_wait")
    return Action::Wait;
  return std::nullopt;
}

/// block.sync(), cg::sync(block), cg::wait(block): it waits for copies and then for the group.
std::optional<Barrier> groupBarrier(const CallExpr *call, const FunctionDecl *callee) {
  if (!isIn(callee->getDeclContext(), "cooperative_groups"))
    return std::nullopt;
  llvm::StringRef name = callee->getName();
  Barrier barrier;
  if (auto *method = dyn_cast<CXXMethodDecl>(callee)) {
    std::optional<Action> action = actionOfMember(name);
    if (!action)
      return std::nullopt;
    QualType type = method->getASTContext().getCanonicalTagType(method->getParent());
    if (auto *member = dyn_cast<CXXMemberCallExpr>(call))
      type = member->getObjectType();
    barrier.scope = scopeOf(groupKind(type));
    barrier.ofUnknownGroup = groupKind(type) == GroupKind::None;
    barrier.action = *action;
    return barrier;
  }
  if ((name != "sync" && name != "wait" && name != "wait_prior") || call->getNumArgs() == 0)
    return std::nullopt;
  GroupKind group = groupKind(call->getArg(0)->IgnoreParenImpCasts()->getType());
  barrier.scope = scopeOf(group);
  barrier.ofUnknownGroup = group == GroupKind::None;
  return barrier;
}

/// cuda::barrier and cuda::pipeline.
std::optional<Barrier> asynchronousBarrier(const FunctionDecl *callee) {
  auto *method = dyn_cast<CXXMethodDecl>(callee);
  if (!method || !isIn(callee->getDeclContext(), "cuda") || !method->getParent()->getIdentifier())
    return std::nullopt;
  llvm::StringRef owner = method->getParent()->getName(), name = callee->getName();
  if (!owner.contains("barrier") && !owner.contains("pipeline"))
    return std::nullopt;
  Barrier barrier;
  barrier.scope = Scope::Async;
  if (name == "arrive_and_wait")
    barrier.action = Action::Sync;
  else if (name == "arrive" || name == "arrive_and_drop" || name == "producer_commit" ||
           name == "consumer_release")
    barrier.action = Action::Arrive;
  else if (name == "wait" || name == "wait_parity" || name == "consumer_wait" || name == "producer_acquire")
    barrier.action = Action::Wait;
  else
    return std::nullopt;
  return barrier;
}

std::optional<Barrier> barrierOfCall(const CallExpr *call, const ASTContext &context) {
  const FunctionDecl *callee = calleeOf(call);
  if (!callee || !callee->getIdentifier())
    return std::nullopt;
  std::optional<Barrier> barrier;
  if (!isa<CXXMethodDecl>(callee) && callee->getDeclContext()->getRedeclContext()->isTranslationUnit())
    barrier = barrierNamed(call, callee->getName(), context);
  if (!barrier)
    barrier = groupBarrier(call, callee);
  if (!barrier)
    barrier = asynchronousBarrier(callee);
  if (barrier)
    barrier->spelling = callee->getName().str();
  return barrier;
}

/// "bar.sync 1, 64;" to "bar.sync" and {"1", "64"}; an empty operation where there is nothing more.
struct Instruction {
  llvm::StringRef operation;
  llvm::SmallVector<llvm::StringRef> operands;
};
Instruction split(llvm::StringRef text) {
  text = text.trim(" \t\r\n{");
  if (text.starts_with("@")) // a predicate
    text = text.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
  Instruction result;
  size_t end = text.find_first_of(" \t");
  result.operation = text.take_front(end);
  if (end != llvm::StringRef::npos)
    text.drop_front(end).split(result.operands, ',');
  for (llvm::StringRef &operand : result.operands)
    operand = operand.trim();
  return result;
}

void takeOperands(Barrier &barrier, llvm::ArrayRef<llvm::StringRef> operands) {
  int64_t number = 0;
  if (!operands.empty() && !operands[0].getAsInteger(0, number))
    barrier.id = number;
  if (operands.size() > 1 && !operands[1].getAsInteger(0, number))
    barrier.threads = number;
  bool countGiven = operands.size() > 1;
  if (barrier.id == 0 && !countGiven && barrier.action == Action::Sync)
    barrier.scope = Scope::Block;
}

std::optional<Barrier> barrierOfInstruction(const Instruction &instruction) {
  llvm::StringRef op = instruction.operation;
  Barrier barrier;
  barrier.spelling = op.str();
  if (op.starts_with("mbarrier.") || op.starts_with("cp.async.wait") ||
      op.starts_with("cp.async.bulk.wait")) {
    barrier.scope = Scope::Async;
    barrier.action = op.contains("arrive") ? Action::Arrive : Action::Wait;
    if (op.starts_with("mbarrier.") && !op.contains("arrive") && !op.contains("wait"))
      return std::nullopt; // init, inval, expect_tx and similar
    return barrier;
  }
  if (!op.consume_front("barrier.") && !op.consume_front("bar."))
    return std::nullopt;
  op.consume_front("cta.");
  if (op.consume_front("warp")) {
    barrier.scope = Scope::Warp;
    return barrier;
  }
  if (op.consume_front("cluster.")) {
    barrier.scope = Scope::Cluster;
    barrier.action = op.starts_with("wait") ? Action::Wait : Action::Arrive;
    return barrier;
  }
  barrier.scope = Scope::Named;
  barrier.action = op.starts_with("arrive") ? Action::Arrive : Action::Sync;
  llvm::ArrayRef<llvm::StringRef> operands = instruction.operands;
  if (op.starts_with("red")) { // result, barrier [, count], predicate
    barrier.votes = true;
    operands = operands.drop_front(operands.empty() ? 0 : 1);
    operands = operands.drop_back(operands.empty() ? 0 : 1);
  }
  takeOperands(barrier, operands);
  return barrier;
}

} // namespace

const char *nameOf(Barrier::Scope scope) {
  static const char *const names[] = {"warp", "block", "named", "cluster", "grid", "asynchronous"};
  return names[unsigned(scope)];
}

std::optional<Barrier> barrierInAssembly(const std::string &text) {
  llvm::SmallVector<llvm::StringRef> instructions;
  llvm::StringRef(text).split(instructions, ';');
  for (llvm::StringRef instruction : instructions)
    if (std::optional<Barrier> barrier = barrierOfInstruction(split(instruction)))
      return barrier;
  return std::nullopt;
}

/// The text with %0, %1 ... of constant inputs filled in, so that `asm("bar.sync %0, %1;" :: "n"(1),
/// "r"(64))` is read.
static std::string withConstants(const GCCAsmStmt *assembly, const ASTContext &context) {
  std::string text = assembly->getAsmString();
  for (unsigned i = 0; i < assembly->getNumInputs(); ++i) {
    Expr::EvalResult result;
    const Expr *input = assembly->getInputExpr(i);
    if (input->isValueDependent() || !input->getType()->isIntegerType() ||
        !input->EvaluateAsInt(result, context))
      continue;
    std::string name = "%" + std::to_string(assembly->getNumOutputs() + i);
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      bool isWhole = at + name.size() == text.size() || !llvm::isDigit(text[at + name.size()]);
      if (isWhole && (at == 0 || text[at - 1] != '%'))
        text.replace(at, name.size(), std::to_string(result.Val.getInt().getExtValue()));
    }
  }
  return text;
}

std::optional<Barrier> barrierAt(const Stmt *element, const ASTContext &context) {
  std::optional<Barrier> barrier;
  if (auto *call = dyn_cast<CallExpr>(element))
    barrier = barrierOfCall(call, context);
  else if (auto *assembly = dyn_cast<GCCAsmStmt>(element))
    barrier = barrierInAssembly(withConstants(assembly, context));
  if (barrier)
    barrier->statement = element;
  return barrier;
}

bool holdsBarrier(const Stmt *code, const ASTContext &context) {
  if (!code)
    return false;
  return barrierAt(code, context) || std::ranges::any_of(code->children(), [&](const Stmt *child) {
           return holdsBarrier(child, context);
         });
}

} // namespace heddle::analysis
