// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The level of one expression from those of its operands. An lvalue has two: of the value read from it, and
// of its address. Where only the address is used (`&a[i]`, an array that decays) the value does not matter,
// so the two are kept apart.
#include "analysis/ThreadBuiltins.h"
#include "analysis/UniformityImpl.h"
#include "source/LocalWrites.h"

using namespace clang;

namespace heddle::analysis {
namespace {

Fact through(const Fact &fact, const Stmt *operand) {
  return {fact.level, {Cause::Kind::Operand, operand, 0, 0, {}}};
}

Fact builtinFact(const ThreadBuiltin &builtin, const Expr *where, const BlockShape &block) {
  using Kind = ThreadBuiltin::Kind;
  if (builtin.kind == Kind::BlockIdx)
    return root(Level::Block, where, fmt::format("'{}' differs by block", builtin.name()));
  if (builtin.kind != Kind::ThreadIdx)
    return {};
  bool sameInRow = builtin.dimension == 1 || builtin.dimension == 2;
  if (builtin.dimension < 3 && block.xyz[builtin.dimension] == 1)
    return {}; // it is always 0
  if (sameInRow && block.rowsAreWholeWarps())
    return root(Level::Warp, where, fmt::format("'{}' differs by warp", builtin.name()));
  return root(Level::Thread, where, fmt::format("'{}' differs by thread", builtin.name()));
}

} // namespace

Fact Uniformity::Impl::valueOf(const Expr *expression) {
  const Expr *e = expression->IgnoreParens();
  if (auto found = values.find(e); found != values.end())
    return found->second;
  if (graph().find(e))
    return {}; // not reached yet in the first pass, or never
  // What the graph has no element for: the whole of `a && b` in a condition, default arguments.
  return compute(e);
}

Fact Uniformity::Impl::addressOf(const Expr *lvalue) {
  const Expr *e = lvalue->IgnoreParens();
  if (auto found = addresses.find(e); found != addresses.end())
    return found->second;
  return computeAddress(e);
}

void Uniformity::Impl::evaluate(const Stmt *element) {
  auto *expression = dyn_cast<Expr>(element);
  if (!expression)
    return;
  if (expression->isGLValue()) {
    Fact address = computeAddress(expression);
    raise(addresses[expression], address.level, address.cause);
  }
  Fact value = compute(expression);
  raise(values[expression], value.level, value.cause);
}

Fact Uniformity::Impl::joinOperands(const Stmt *statement) {
  Fact result;
  for (const Stmt *child : source::evaluatedChildren(statement))
    if (auto *operand = dyn_cast<Expr>(child))
      joinInto(result, through(valueOf(operand), operand->IgnoreParens()));
  return result;
}

Fact Uniformity::Impl::compute(const Expr *e) {
  if (e->getType()->isFunctionType() || isa<LambdaExpr>(e))
    return {};
  if (std::optional<ThreadBuiltin> builtin = threadBuiltin(e)) {
    if (!isa<CastExpr>(e))
      return builtinFact(*builtin, e, shared->block);
  }
  if (auto *reference = dyn_cast<DeclRefExpr>(e))
    return computeReference(reference);
  if (auto *call = dyn_cast<CallExpr>(e))
    return callFact(call);
  if (auto *construction = dyn_cast<CXXConstructExpr>(e))
    return constructionFact(construction);
  if (isa<CXXThisExpr>(e)) { // what the caller's object held, and what has been written to it here
    Fact object{context.object, {Cause::Kind::Object, e, 0, 0, {}}};
    joinInto(object, written);
    return object;
  }
  if (auto *cast = dyn_cast<CastExpr>(e)) {
    if (cast->getCastKind() == CK_ArrayToPointerDecay)
      return through(addressOf(cast->getSubExpr()), cast->getSubExpr()->IgnoreParens());
    if (cast->getCastKind() == CK_LValueToRValue && cast->getSubExpr()->getType().isVolatileQualified() &&
        !source::localPlace(cast->getSubExpr()))
      return root(Level::Thread, e, "a volatile load may differ by thread");
    return joinOperands(e);
  }
  if (auto *member = dyn_cast<MemberExpr>(e)) {
    const Expr *base = member->getBase();
    if (member->getMemberDecl()->getType()->isReferenceType())
      return root(Level::Thread, e, "what a member that is a reference refers to may have been changed");
    if (!member->isArrow() || isa<CXXThisExpr>(base->IgnoreParenImpCasts()))
      return through(valueOf(base), base->IgnoreParens());
    return load(e, base, addressOf(e));
  }
  if (auto *subscript = dyn_cast<ArraySubscriptExpr>(e))
    return load(e, subscript->getBase(), addressOf(e));
  if (auto *unary = dyn_cast<UnaryOperator>(e)) {
    if (unary->getOpcode() == UO_Deref)
      return load(e, unary->getSubExpr(), addressOf(e));
    if (unary->getOpcode() == UO_AddrOf)
      return through(addressOf(unary->getSubExpr()), unary->getSubExpr()->IgnoreParens());
  }
  if (auto *binary = dyn_cast<BinaryOperator>(e)) {
    if (binary->getOpcode() == BO_Assign || binary->getOpcode() == BO_Comma)
      return through(valueOf(binary->getRHS()), binary->getRHS()->IgnoreParens());
    if (std::optional<Fact> ofWarp = sameOverWarp(e))
      return *ofWarp;
  }
  return joinOperands(e);
}

Fact Uniformity::Impl::computeAddress(const Expr *e) {
  if (auto *reference = dyn_cast<DeclRefExpr>(e)) {
    auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (!variable || !variable->getType()->isReferenceType())
      return {};
    if (!isa<ParmVarDecl>(variable) && variable->getInit())
      return through(addressOf(variable->getInit()), variable->getInit()->IgnoreParens());
    return {};
  }
  if (auto *member = dyn_cast<MemberExpr>(e))
    return through(member->isArrow() ? valueOf(member->getBase()) : addressOf(member->getBase()),
                   member->getBase()->IgnoreParens());
  if (auto *unary = dyn_cast<UnaryOperator>(e); unary && unary->getOpcode() == UO_Deref)
    return through(valueOf(unary->getSubExpr()), unary->getSubExpr()->IgnoreParens());
  if (isa<ArraySubscriptExpr, ConditionalOperator>(e))
    return joinOperands(e);
  if (auto *binary = dyn_cast<BinaryOperator>(e); binary && binary->isAssignmentOp())
    return through(addressOf(binary->getLHS()), binary->getLHS()->IgnoreParens());
  if (auto *cast = dyn_cast<CastExpr>(e); cast && cast->getSubExpr()->isGLValue())
    return through(addressOf(cast->getSubExpr()), cast->getSubExpr()->IgnoreParens());
  return isa<CallExpr>(e) ? through(valueOf(e), e) : Fact{};
}

/// A value read where threads may have left the loop that made it in different iterations.
Fact Uniformity::Impl::readValue(unsigned value, unsigned useBlock, const Stmt *reader) {
  Fact result{ssa[value].level, {Cause::Kind::Value, reader, value, 0, {}}};
  unsigned madeIn = definitions->values()[value].at.block;
  for (unsigned loop = loops->innermost(madeIn); loop != LoopForest::none && !loops->contains(loop, useBlock);
       loop = loops->loops()[loop].parent)
    if (leftApart[loop].level > result.level) {
      result = leftApart[loop];
      result.cause.value = value;
    }
  return result;
}

Fact Uniformity::Impl::computeReference(const DeclRefExpr *reference) {
  const ValueDecl *declaration = reference->getDecl();
  auto *variable = dyn_cast<VarDecl>(declaration);
  if (reference->refersToEnclosingVariableOrCapture()) {
    auto captured = context.captures.find(declaration);
    Level level = captured == context.captures.end() ? Level::Thread : captured->second;
    return root(
        level, reference,
        fmt::format("'{}' is captured and differs by {}", declaration->getNameAsString(), nameOf(level)));
  }
  if (auto *binding = dyn_cast<BindingDecl>(declaration))
    if (const VarDecl *holder = binding->getHoldingVar(); holder && holder->getInit())
      return through(valueOf(holder->getInit()), holder->getInit()->IgnoreParens());
  if (std::optional<source::LocalPlace> place = source::localPlace(reference)) {
    if (definitions->addressEscapes(place->variable))
      return root(Level::Thread, reference,
                  fmt::format("the address of '{}' is taken, so it may be written through a pointer",
                              place->variable->getNameAsString()));
    Fact result;
    std::optional<source::FlowGraph::Point> at = graph().find(reference);
    for (unsigned value : definitions->valuesAt(reference))
      joinInto(result, readValue(value, at ? at->block : graph().entry(), reference));
    return result;
  }
  if (!variable || variable->isConstexpr())
    return {};
  if (auto *parameter = dyn_cast<ParmVarDecl>(variable)) { // a reference
    unsigned index = parameter->getFunctionScopeIndex();
    if (index >= context.parameters.size())
      return root(Level::Thread, reference, "nothing is known of this argument");
    Fact value{context.parameters[index], {Cause::Kind::Parameter, reference, 0, index, {}}};
    if (!parameter->getType()->getPointeeType().isConstQualified())
      joinInto(value, written);
    return value;
  }
  if (variable->getType()->isReferenceType() && variable->getInit())
    return through(valueOf(variable->getInit()), variable->getInit()->IgnoreParens());
  return load(reference, nullptr, {});
}

Fact Uniformity::Impl::load(const Expr *lvalue, const Expr *pointer, const Fact &address) {
  Fact result = address.level == Level::Grid ? Fact{} : Fact{address.level, address.cause};
  // A part of a local variable, or of something that a load was already classified for.
  if (std::optional<source::LocalPlace> place = source::localPlace(lvalue)) {
    joinInto(result, through(valueOf(place->reference), place->reference));
    return result;
  }
  Roots roots = pointer ? memory->rootsOf(pointer) : memory->rootsOfLvalue(lvalue);
  switch (memory->memoryOf(roots)) {
  case Memory::ReadOnly: return result;
  case Memory::Local:
    for (const VarDecl *variable : roots) // only parameters are left: what they point to came with the call
      if (auto *parameter = dyn_cast<ParmVarDecl>(variable);
          parameter && parameter->getFunctionScopeIndex() < context.parameters.size()) {
        joinInto(result, {context.parameters[parameter->getFunctionScopeIndex()],
                          {Cause::Kind::Parameter, lvalue, 0, parameter->getFunctionScopeIndex(), {}}});
        joinInto(result, written);
      } else {
        joinInto(result, root(Level::Thread, lvalue, "a load through a pointer to a local variable"));
      }
    return result;
  case Memory::Shared:
    joinInto(result, root(Level::Block, lvalue, "__shared__ memory differs by block"));
    return result;
  case Memory::Written:
    return result.level == Level::Thread
               ? result
               : root(Level::Thread, lvalue,
                      "a load from memory that the kernel also writes may differ by thread");
  case Memory::Unknown: break;
  }
  return result.level == Level::Thread
             ? result
             : root(Level::Thread, lvalue, "a load through a pointer of unknown origin may differ by thread");
}

namespace {

/// The value an expression represents, through casts and variables that have one definition.
const Expr *resolved(const Expr *e, const source::ReachingDefinitions &definitions) {
  for (unsigned steps = 0; steps < 32; ++steps) { // chains of copies are short; cycles cannot be
    if (threadBuiltin(e))
      return e;
    e = e->IgnoreParens();
    if (auto *cast = dyn_cast<CastExpr>(e);
        cast && cast->getType()->isIntegerType() && cast->getSubExpr()->getType()->isIntegerType()) {
      e = cast->getSubExpr();
      continue;
    }
    auto *reference = dyn_cast<DeclRefExpr>(e);
    const source::Definition *definition = reference ? definitions.onlyReaching(reference) : nullptr;
    if (!definition || !definition->isExact())
      return e;
    e = definition->value;
  }
  return e;
}

std::optional<int64_t> constantOf(const Expr *e, const ASTContext &context, const BlockShape &block) {
  if (std::optional<ThreadBuiltin> builtin = threadBuiltin(e)) {
    if (builtin->kind == ThreadBuiltin::Kind::WarpSize)
      return 32;
    if (builtin->kind == ThreadBuiltin::Kind::BlockDim && builtin->dimension < 3)
      return block.xyz[builtin->dimension];
    return std::nullopt;
  }
  Expr::EvalResult result;
  if (e->isValueDependent() || !e->getType()->isIntegralOrEnumerationType() ||
      !e->EvaluateAsInt(result, context))
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

/// True for a product with a factor that is known to be a multiple of 32.
bool isMultipleOf32(const Expr *e, const ASTContext &context, const source::ReachingDefinitions &definitions,
                    const BlockShape &block) {
  e = resolved(e, definitions);
  if (std::optional<int64_t> value = constantOf(e, context, block))
    return *value % 32 == 0;
  auto *product = dyn_cast<BinaryOperator>(e);
  return product && product->getOpcode() == BO_Mul &&
         (isMultipleOf32(product->getLHS(), context, definitions, block) ||
          isMultipleOf32(product->getRHS(), context, definitions, block));
}

/// True where the expression is threadIdx.x plus multiples of 32 that the whole warp agrees on.
bool countsLanes(const Expr *e, const ASTContext &context, const source::ReachingDefinitions &definitions,
                 const BlockShape &block, const std::function<Level(const Expr *)> &levelOf) {
  e = resolved(e, definitions);
  if (std::optional<ThreadBuiltin> builtin = threadBuiltin(e))
    return builtin->kind == ThreadBuiltin::Kind::ThreadIdx && builtin->dimension == 0;
  auto *sum = dyn_cast<BinaryOperator>(e);
  if (!sum || sum->getOpcode() != BO_Add)
    return false;
  auto fits = [&](const Expr *lanes, const Expr *offset) {
    return isMultipleOf32(offset, context, definitions, block) && levelOf(offset) <= Level::Warp &&
           countsLanes(lanes, context, definitions, block, levelOf);
  };
  return fits(sum->getLHS(), sum->getRHS()) || fits(sum->getRHS(), sum->getLHS());
}

} // namespace

/// A comparison of the lanes of a warp with a bound that no warp straddles: `threadIdx.x < 64`, `threadIdx.x > 31`.
static bool comparesWholeWarps(const BinaryOperator *comparison, const ASTContext &ast,
                               const source::ReachingDefinitions &definitions, const BlockShape &block,
                               const std::function<Level(const Expr *)> &levelOf) {
  BinaryOperatorKind op = comparison->getOpcode();
  if (!BinaryOperator::isRelationalOp(op))
    return false;
  const Expr *lanes = comparison->getLHS(), *bound = comparison->getRHS();
  if (!countsLanes(lanes, ast, definitions, block, levelOf)) {
    std::swap(lanes, bound);
    op = BinaryOperator::reverseComparisonOp(op);
    if (!countsLanes(lanes, ast, definitions, block, levelOf))
      return false;
  }
  if (op == BO_LT || op == BO_GE)
    return isMultipleOf32(bound, ast, definitions, block) && levelOf(bound) <= Level::Warp;
  const std::optional<int64_t> last = constantOf(resolved(bound, definitions), ast, block); // of a warp
  return last && *last >= 0 && *last % 32 == 31;
}

/// `threadIdx.x / 32`, `>> 5`, `& ~31` and `threadIdx.x < 64` are the same over a warp, where warps are rows of threads: known of
/// a one-dimensional block, and of one whose rows are whole warps.
std::optional<Fact> Uniformity::Impl::sameOverWarp(const Expr *expression) {
  auto *binary = cast<BinaryOperator>(expression);
  if (!shared->block.isOneDimensional() && !shared->block.rowsAreWholeWarps())
    return std::nullopt;
  const ASTContext &ast = graph().function()->getASTContext();
  auto levelOf = [&](const Expr *e) { return valueOf(e).level; };
  if (comparesWholeWarps(binary, ast, *definitions, shared->block, levelOf))
    return root(Level::Warp, expression, "all threads of a warp are on the same side of the bound");
  if (binary->getOpcode() != BO_Div && binary->getOpcode() != BO_Shr && binary->getOpcode() != BO_And)
    return std::nullopt;
  std::optional<int64_t> by = constantOf(resolved(binary->getRHS(), *definitions), ast, shared->block);
  if (!by)
    return std::nullopt;
  bool wholeWarps = binary->getOpcode() == BO_Div   ? *by > 0 && *by % 32 == 0
                    : binary->getOpcode() == BO_Shr ? *by >= 5
                                                    : *by % 32 == 0;
  if (!wholeWarps || !countsLanes(binary->getLHS(), ast, *definitions, shared->block, levelOf))
    return std::nullopt;
  return root(Level::Warp, expression, "the warp's number differs by warp");
}

} // namespace heddle::analysis
