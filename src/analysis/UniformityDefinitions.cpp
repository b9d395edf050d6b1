// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The level of SSA values: what definitions assign and what meets in phis; and what a function writes for
// others to see.
#include "analysis/UniformityImpl.h"
#include "source/LocalWrites.h"

using namespace clang;

namespace heddle::analysis {

using source::Definition;

void Uniformity::Impl::defineAt(unsigned number) {
  const auto &value = definitions->values()[number];
  const Definition &definition = definitions->definitions()[value.definition];
  Fact fact = definitionFact(definition, value.field);
  if (value.previous != source::ReachingDefinitions::none) {
    joinInto(fact, readValue(value.previous, value.at.block, definition.statement));
    if (definition.target && definition.kind != Definition::Kind::Opaque) // which element is written
      joinInto(fact, addressOf(definition.target));
  }
  raise(ssa[number], fact.level, fact.cause);
}

/// The initializer of one field out of `{a, b, c}`; null where it is not that simple.
static const Expr *initializerOf(const Expr *whole, const FieldDecl *field) {
  auto *list = dyn_cast<InitListExpr>(whole->IgnoreParenImpCasts());
  if (!list || !field || list->isTransparent() || field->getFieldIndex() >= list->getNumInits())
    return nullptr;
  return list->getInit(field->getFieldIndex());
}

Fact Uniformity::Impl::definitionFact(const Definition &definition, const FieldDecl *field) {
  switch (definition.kind) {
  case Definition::Kind::Entry: {
    unsigned index = cast<ParmVarDecl>(definition.variable)->getFunctionScopeIndex();
    Level level = index < context.parameters.size() ? context.parameters[index] : Level::Thread;
    return {level, {Cause::Kind::Parameter, nullptr, 0, index, {}}};
  }
  case Definition::Kind::Uninitialized: return {};
  case Definition::Kind::Declaration:
  case Definition::Kind::Assignment: {
    const Expr *value = definition.value;
    if (const Expr *own = definition.field ? nullptr : initializerOf(value, field))
      value = own;
    return {valueOf(value).level, {Cause::Kind::Operand, value->IgnoreParens(), 0, 0, {}}};
  }
  case Definition::Kind::Compound:
  case Definition::Kind::Increment: {
    auto *statement = cast<Expr>(definition.statement);
    return {valueOf(statement).level, {Cause::Kind::Operand, statement, 0, 0, {}}};
  }
  case Definition::Kind::Opaque: break;
  }
  if (isa<GCCAsmStmt>(definition.statement))
    return assemblyFact(definition.statement);
  return writtenBy(definition.statement);
}

/// A phi differs as its operands do; where threads that have been apart meet in it, it also picks by thread.
/// With one and the same operand on every way there is nothing to pick.
void Uniformity::Impl::updatePhi(unsigned number) {
  const auto &phi = definitions->values()[number];
  std::set<unsigned> distinct;
  Fact fact;
  for (unsigned operand : phi.operands)
    if (operand != source::ReachingDefinitions::none) {
      if (operand != number)
        distinct.insert(operand);
      joinInto(fact, readValue(operand, phi.at.block, nullptr));
    }
  if (distinct.size() > 1)
    joinInto(fact, joinAt[phi.at.block]);
  if (loops->isIrreducible())
    joinInto(fact, {Level::Thread,
                    {Cause::Kind::Root, graph().function()->getBody(), 0, 0,
                     "goto makes a loop with several entries, which is not analyzed"}});
  raise(ssa[number], fact.level, fact.cause);
}

/// Special registers that inline assembly reads, with the level of what is in them.
static Fact specialRegister(const GCCAsmStmt *assembly, const std::string &text) {
  static const std::pair<const char *, Level> registers[] = {
      {"%%tid", Level::Thread},       {"%%laneid", Level::Thread},      {"%%lanemask", Level::Thread},
      {"%%clock", Level::Thread},     {"%%globaltimer", Level::Thread}, {"%%warpid", Level::Warp},
      {"%%ctaid", Level::Block},      {"%%smid", Level::Block},         {"%%clusterid", Level::Block},
      {"%%cluster_cta", Level::Block}};
  Fact result;
  for (auto [name, level] : registers)
    if (text.find(name) != std::string::npos && level > result.level)
      result = {level,
                {Cause::Kind::Root, assembly, 0, 0,
                 fmt::format("inline assembly reads '{}', which differs by {}", name + 1, nameOf(level))}};
  return result;
}

/// Every instruction computes from its operands alone. Others may read memory, other lanes, or anything.
static bool computesOnly(llvm::StringRef text) {
  static const std::set<llvm::StringRef> arithmetic = {
      "abs",      "add",  "addc",  "and",  "bfe",  "bfi",   "bfind", "bmsk",  "brev",  "clz",   "cnot",
      "copysign", "cos",  "cvt",   "cvta", "div",  "dp2a",  "dp4a",  "ex2",   "fma",   "fns",   "lg2",
      "lop3",     "mad",  "mad24", "madc", "max",  "min",   "mov",   "mul",   "mul24", "neg",   "not",
      "or",       "popc", "prmt",  "rcp",  "rem",  "rsqrt", "sad",   "selp",  "set",   "setp",  "shf",
      "shl",      "shr",  "sin",   "slct", "sqrt", "sub",   "subc",  "szext", "tanh",  "testp", "vadd",
      "vsub",     "vmin", "vmax",  "xor",  "",     ".reg",  "pack",  "unpack"};
  llvm::SmallVector<llvm::StringRef> instructions;
  text.split(instructions, ';');
  return llvm::all_of(instructions, [&](llvm::StringRef instruction) {
    instruction = instruction.trim(" \t\r\n{}");
    if (instruction.starts_with("@")) // a predicate
      instruction = instruction.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
    llvm::StringRef operation = instruction.take_until([](char c) { return c == ' ' || c == '\t'; });
    if (!operation.starts_with("."))
      operation = operation.split('.').first;
    return arithmetic.contains(operation);
  });
}

Fact Uniformity::Impl::assemblyFact(const Stmt *statement) {
  auto *assembly = cast<GCCAsmStmt>(statement);
  std::string text = assembly->getAsmString();
  Fact result = specialRegister(assembly, text);
  if (!computesOnly(text))
    joinInto(result, {Level::Thread,
                      {Cause::Kind::Root, assembly, 0, 0,
                       "what inline assembly reads from memory or from other lanes may differ by thread"}});
  for (unsigned i = 0; i < assembly->getNumInputs(); ++i)
    joinInto(result, {valueOf(assembly->getInputExpr(i)).level,
                      {Cause::Kind::Operand, assembly->getInputExpr(i)->IgnoreParens(), 0, 0, {}}});
  return result;
}

/// How uniform it is whether a block is executed at all.
Level Uniformity::Impl::controlLevel(unsigned block) {
  if (!postDominance)
    postDominance = std::make_unique<graph::Dominance>(postDominatorsOf(graph()));
  Level level = Level::Grid;
  std::set<unsigned> seen = {block};
  std::vector<unsigned> pending = {block};
  while (!pending.empty()) {
    unsigned at = pending.back();
    pending.pop_back();
    for (unsigned branch : postDominance->frontier(at))
      if (seen.insert(branch).second) {
        level = join(level, branches[branch].level);
        pending.push_back(branch);
      }
  }
  return level;
}

/// Notes what the function returns, and what it writes through references, pointers and `this`.
void Uniformity::Impl::noteWrite(const Stmt *element, unsigned block) {
  if (auto *statement = dyn_cast<ReturnStmt>(element)) {
    const Expr *value = statement->getRetValue();
    if (!value)
      return;
    raise(returned, valueOf(value).level, {Cause::Kind::Operand, value->IgnoreParens(), 0, 0, {}});
    Fact apart = joinAt[graph().exit()]; // several returns meet at the exit
    raise(returned, apart.level, apart.cause);
    return;
  }
  const Expr *target = nullptr;
  if (auto *binary = dyn_cast<BinaryOperator>(element); binary && binary->isAssignmentOp())
    target = binary->getLHS();
  else if (auto *unary = dyn_cast<UnaryOperator>(element); unary && unary->isIncrementDecrementOp())
    target = unary->getSubExpr();
  if (target && !source::localPlace(target)) {
    Fact value = valueOf(cast<Expr>(element));
    raise(written, value.level, {Cause::Kind::Operand, element, 0, 0, {}});
    Fact address = addressOf(target);
    raise(written, address.level, address.cause);
    raise(written, controlLevel(block),
          {Cause::Kind::Root, element, 0, 0, "it is written by some threads only"});
    return;
  }
  if (isa<CallExpr, CXXConstructExpr>(element)) {
    Fact inner = writtenBy(element);
    raise(written, inner.level, inner.cause);
  }
}

} // namespace heddle::analysis
