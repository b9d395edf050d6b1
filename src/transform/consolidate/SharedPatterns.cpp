// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element a lane touches, and whether all lanes come to the place together.
//
// 1. Mentions: every mention of the array must be one element of it, read or written; a pointer that is set
//    to the array once and never changes is another name for it.
// 2. Places: the element's number is brought to the form  lane + distance  or  place in a row.  A condition
//    `threadIdx.x == 0` around an access is an equation that may bring `sums[0]` to the form of the own
//    element.
// 3. Convergence: what is a shuffle must be executed by all lanes. Inside a branch that differs by lane it is
//    moved up before the branch.
//
// Why moving up is right: between the new place and the old one the thread passes no barrier and writes
// nothing to the array, and nothing orders what other threads write meanwhile. So what it reads at the new
// place is what it could have read at the old one, in some order of the threads' steps that the kernel
// allows. For the same reason nothing need be known of races: where all orders give the same, so does this
// one.
#include "transform/consolidate/SharedPatterns.h"

#include "analysis/Barriers.h"
#include "analysis/StatementShape.h"
#include "source/Kernel.h"
#include "source/Unit.h"
#include "transform/DeclaredType.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ParentMap.h>
#include <fmt/format.h>

#include <functional>

using namespace clang;

namespace heddle::transform {

using analysis::isLoop;

namespace {

using analysis::Level;
using analysis::Uniformity;

constexpr int64_t lanes = 32;

/// Everything of interest in the kernel's text.
class Collector : public DynamicRecursiveASTVisitor {
public:
  std::vector<const VarDecl *> arrays;
  std::vector<const VarDecl *> pointers; ///< locals that are set where they are declared
  std::vector<const DeclRefExpr *> mentions;
  std::vector<const Stmt *> jumps; ///< return, break, continue, goto

  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->hasAttr<CUDASharedAttr>())
      arrays.push_back(variable);
    else if (variable->getType()->isPointerType() && variable->getInit())
      pointers.push_back(variable);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *mention) override {
    mentions.push_back(mention);
    return true;
  }
  bool VisitStmt(Stmt *statement) override {
    if (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(statement))
      jumps.push_back(statement);
    return true;
  }
};

class ArrayReader {
public:
  ArrayReader(const source::Kernel &kernel, const Uniformity &uniformity, const WarpIndices &indices,
              const ParentMap &parents, const Collector &collected, SharedArray &array)
      : kernel(kernel), uniformity(uniformity), indices(indices), parents(parents), collected(collected),
        array(array) {}

  void read() {
    if (!describe())
      return;
    findAliases();
    for (const DeclRefExpr *mention : collected.mentions)
      if (isOurs(mention) && !array.whyNot)
        readMention(mention);
    if (!array.whyNot)
      array.whyNot = sentTo;
    for (StripedAccess &access : array.accesses)
      if (!array.whyNot)
        placeShuffle(access);
    for (StripedAccess &access : array.accesses)
      if (!array.whyNot)
        checkLoops(access);
  }

private:
  // Declaration
  // ---------------------------------------------------------------------------------------------------

  bool describe() {
    const VarDecl *decl = array.decl;
    QualType type = decl->getType();
    if (decl->hasExternalStorage() || type->isIncompleteArrayType())
      return keep(decl->getLocation(), "its size is known at the launch only");
    for (; auto *level = context().getAsConstantArrayType(type); type = level->getElementType())
      array.extents.push_back(int64_t(level->getSize().getZExtValue()));
    if (array.extents.empty())
      return keep(decl->getLocation(), "it is not an array");
    if (type->isUnionType() || !type.isTriviallyCopyableType(context()))
      return keep(decl->getLocation(), "its elements cannot be copied word by word");
    const std::optional<std::string> element = elementTypeOf(*kernel.unit, decl);
    if (!element)
      return keep(decl->getLocation(), "the type of its elements has no name");
    array.elementType = *element;
    array.elementBytes = context().getTypeSizeInChars(type).getQuantity();
    // Shared memory keeps its values when a loop comes around; a register that is declared in it does not.
    for (const Stmt *at = declarationOf(decl); at; at = parent(at))
      if (isLoop(at))
        return keep(decl->getLocation(),
                    "it is declared in a loop and keeps its values from one iteration to "
                    "the next");
    return true;
  }

  const Stmt *declarationOf(const VarDecl *variable) const {
    const Stmt *found = nullptr;
    std::function<void(const Stmt *)> search = [&](const Stmt *statement) {
      if (auto *declaration = dyn_cast<DeclStmt>(statement))
        if (llvm::is_contained(declaration->decls(), variable))
          found = declaration;
      for (const Stmt *child : statement->children())
        if (child && !found)
          search(child);
    };
    search(kernel.function->getBody());
    return found;
  }

  void findAliases() {
    if (array.extents.size() != 1)
      return;
    for (const VarDecl *pointer : collected.pointers) {
      auto *named = dyn_cast<DeclRefExpr>(pointer->getInit()->IgnoreParenImpCasts());
      if (named && named->getDecl() == array.decl && indices.neverChanges(pointer))
        array.aliases.push_back(pointer);
    }
  }

  bool isOurs(const DeclRefExpr *mention) const {
    return mention->getDecl() == array.decl || llvm::is_contained(array.aliases, mention->getDecl());
  }

  // Mentions
  // ---------------------------------------------------------------------------------------------------

  void readMention(const DeclRefExpr *mention) {
    StripedAccess access;
    const Expr *element = elementAt(mention, access.indices);
    if (!element) {
      if (!isAliasDeclaration(mention))
        keep(mention->getBeginLoc(), "it is not used element by element here: its address is taken");
      return;
    }
    access.expression = element;
    if (!findUse(outermostPart(element), access)) {
      keep(element->getBeginLoc(), fmt::format("the address of '{}' is taken", textOf(element)));
      return;
    }
    if (classify(access))
      array.accesses.push_back(access);
  }

  bool isAliasDeclaration(const DeclRefExpr *mention) const {
    return llvm::any_of(array.aliases, [&](const VarDecl *alias) {
      return alias->getInit()->IgnoreParenImpCasts() == mention;
    });
  }

  /// The expression of one element that begins with this mention of the array.
  const Expr *elementAt(const DeclRefExpr *mention, std::vector<const Expr *> &subscripts) const {
    const Stmt *at = mention;
    while (subscripts.size() < array.extents.size()) {
      const Stmt *up = parent(at);
      if (up && isa<ImplicitCastExpr, ParenExpr>(up)) {
        at = up;
        continue;
      }
      auto *subscript = dyn_cast_or_null<ArraySubscriptExpr>(up);
      if (!subscript || subscript->getBase() != at)
        return nullptr;
      subscripts.push_back(subscript->getIdx());
      at = subscript;
    }
    return cast<Expr>(at);
  }

  /// `tile[i].x` where `tile[i]` is given.
  const Stmt *outermostPart(const Stmt *element) const {
    for (;;) {
      const Stmt *up = parent(element);
      auto *member = dyn_cast_or_null<MemberExpr>(up);
      if (!up ||
          !(isa<ParenExpr>(up) || (member && !member->isArrow() && isa<FieldDecl>(member->getMemberDecl()))))
        return element;
      element = up;
    }
  }

  /// False where what is done with the element cannot be seen.
  bool findUse(const Stmt *part, StripedAccess &access) const {
    const Stmt *up = parent(part);
    // `c ? a[i] : a[j]` is itself an element that is read.
    for (const Stmt *at = part; up && isa<ParenExpr, ConditionalOperator>(up); at = up, up = parent(up))
      if (auto *choice = dyn_cast<ConditionalOperator>(up); choice && choice->getCond() == at)
        return false;
    if (auto *read = dyn_cast_or_null<ImplicitCastExpr>(up)) {
      // `const T &r = a[i];` sees what is written to the element later; an argument does not.
      const bool isBoundForNow = read->getCastKind() == CK_NoOp && read->getType().isConstQualified() &&
                                 !isa_and_nonnull<DeclStmt>(parent(read));
      return access.isLoad = read->getCastKind() == CK_LValueToRValue || isBoundForNow;
    }
    if (up != parent(part))
      return false;
    if (auto *op = dyn_cast_or_null<BinaryOperator>(up); op && op->isAssignmentOp() && op->getLHS() == part) {
      access.isLoad = op->isCompoundAssignmentOp();
      return access.isStore = true;
    }
    if (auto *op = dyn_cast_or_null<UnaryOperator>(up); op && op->isIncrementDecrementOp())
      return access.isLoad = access.isStore = true;
    if (auto *op = dyn_cast_or_null<CXXOperatorCallExpr>(up);
        op && op->getOperator() == OO_Equal && op->getArg(0) == part)
      return access.isStore = true;
    return false;
  }

  // Places
  // ---------------------------------------------------------------------------------------------------

  bool classify(StripedAccess &access) {
    IndexForms forms = elementNumber(access.indices);
    if (auto *why = std::get_if<Diagnostic>(&forms))
      return runTimePlace(access, *why);
    std::vector<WarpIndex> &list = std::get<0>(forms);
    if (list.size() > 2)
      return keep(access.expression->getBeginLoc(),
                  fmt::format("'{}' is one of {} elements", textOf(access.expression), list.size()));
    if (list.size() == 2)
      return eitherOf(access, list);
    WarpIndex number = list.front();
    if (!isFromLane(number))
      useEquations(access.expression, number);
    if (isFromLane(number)) {
      access.distance = WarpIndex(number).add(indices.lane(), -1);
      const bool isOwn = access.distance.isMultipleOf(lanes);
      access.kind = isOwn ? StripedAccess::Kind::Own : StripedAccess::Kind::Ahead;
      return !access.isStore || isOwn || notOwner(access);
    }
    if (access.isStore)
      return notOwner(access);
    return inOneRow(access, number);
  }

  /// Told where there is no better reason: an address known only at run time is beyond any other way of
  /// dealing elements out to lanes.
  bool notOwner(const StripedAccess &access) {
    if (!sentTo)
      sentTo = stays(access.expression->getBeginLoc(),
                     fmt::format("'{}' is written by a lane that does not keep that element: a shuffle can "
                                 "fetch, not send",
                                 textOf(access.expression)));
    return false;
  }

  bool isFromLane(const WarpIndex &number) const { return number.thread == indices.lane().thread; }

  IndexForms elementNumber(const std::vector<const Expr *> &subscripts) const {
    std::vector<WarpIndex> numbers = {{}};
    int64_t stride = 1;
    for (size_t d = subscripts.size(); d-- > 0; stride *= array.extents[d]) {
      IndexForms forms = indices.formsOf(subscripts[d]);
      if (std::holds_alternative<Diagnostic>(forms))
        return forms;
      std::vector<WarpIndex> longer;
      for (const WarpIndex &number : numbers)
        for (const WarpIndex &form : std::get<0>(forms))
          longer.push_back(WarpIndex(number).add(form, stride));
      numbers = std::move(longer);
    }
    return numbers;
  }

  bool runTimePlace(StripedAccess &access, const Diagnostic &why) {
    if (access.isStore || array.elements() > lanes)
      return keep(access.expression->getBeginLoc(),
                  fmt::format("{} of '{}' is an address known only at run time: {}, and registers have no "
                              "addresses",
                              access.isStore ? "the place" : "the register", textOf(access.expression),
                              why.text));
    access.kind = StripedAccess::Kind::InRow;
    return access.isRunTimePlace = true;
  }

  bool eitherOf(StripedAccess &access, const std::vector<WarpIndex> &list) {
    if (access.isStore || !isFromLane(list[0]) || !isFromLane(list[1]))
      return keep(access.expression->getBeginLoc(),
                  fmt::format("'{}' is one of two places that are not at a fixed distance from the lane",
                              textOf(access.expression)));
    access.kind = StripedAccess::Kind::Either;
    access.distance = WarpIndex(list[0]).add(indices.lane(), -1);
    access.other = WarpIndex(list[1]).add(indices.lane(), -1);
    // The own element is read where it is used: the lane itself may have written it just before.
    if (access.distance.isMultipleOf(lanes))
      std::swap(access.distance, access.other);
    return true;
  }

  /// Lanes read from one row: it must be the same for all of them, whatever the counters are.
  bool inOneRow(StripedAccess &access, const WarpIndex &number) {
    auto all = WarpIndices::combinations(number.loops());
    if (!all)
      return keep(access.expression->getBeginLoc(),
                  fmt::format("unrolling the loops that count '{}' takes too many copies",
                              textOf(access.expression)));
    for (const WarpIndices::Counters &counters : *all) {
      auto [least, most] = indices.rangeOverLanes(number, counters);
      if ((least >> 5) != (most >> 5))
        return keep(
            access.expression->getBeginLoc(),
            fmt::format("'{}' lies in another register in each lane, which is an address known only at "
                        "run time: registers have no addresses",
                        textOf(access.expression)));
    }
    access.kind = StripedAccess::Kind::InRow;
    access.place = number;
    return true;
  }

  /// `threadIdx.x + kx * 32 == 0` around the access: adding a multiple of it changes nothing there, and may
  /// turn an element that one thread reads into that thread's own.
  void useEquations(const Expr *element, WarpIndex &number) const {
    const WarpIndex lane = indices.lane();
    for (const WarpIndex &zero : equationsAt(element)) {
      const auto used = llvm::find_if(zero.thread, [](int64_t factor) { return factor != 0; });
      const size_t d = size_t(used - zero.thread.begin());
      const bool isOfOneDimension = used != zero.thread.end() && llvm::count(zero.thread, 0) == 2;
      const int64_t missing = isOfOneDimension ? lane.thread[d] - number.thread[d] : 0;
      if (missing && missing % *used == 0)
        number.add(zero, missing / *used);
    }
  }

  /// What is 0 wherever the element is touched.
  std::vector<WarpIndex> equationsAt(const Stmt *element) const {
    std::vector<WarpIndex> found;
    for (const Stmt *at = element, *up = parent(at); up; at = up, up = parent(up)) {
      auto *branch = dyn_cast<IfStmt>(up);
      auto *choice = dyn_cast<ConditionalOperator>(up);
      if (branch && branch->getThen() == at)
        addEquations(branch->getCond(), found);
      else if (choice && choice->getTrueExpr() == at)
        addEquations(choice->getCond(), found);
    }
    return found;
  }

  void addEquations(const Expr *condition, std::vector<WarpIndex> &found) const {
    auto *op = dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
    if (op && op->getOpcode() == BO_LAnd) {
      addEquations(op->getLHS(), found);
      addEquations(op->getRHS(), found);
    }
    if (!op || op->getOpcode() != BO_EQ)
      return;
    std::optional<WarpIndex> left = indices.formOf(op->getLHS()), right = indices.formOf(op->getRHS());
    if (left && right)
      found.push_back(left->add(*right, -1));
  }

  // Convergence
  // ---------------------------------------------------------------------------------------------------

  bool isShuffle(const StripedAccess &access) const {
    const bool bothAreOwn = access.kind == StripedAccess::Kind::Either &&
                            access.distance.isMultipleOf(lanes) && access.other.isMultipleOf(lanes);
    return access.kind != StripedAccess::Kind::Own && !bothAreOwn;
  }

  /// `part` is executed by some lanes only, or not as often by all, by the decision of `statement` around it.
  bool isGovernedDifferently(const Stmt *statement, const Stmt *part) const {
    if (auto *branch = dyn_cast<IfStmt>(statement); branch && branch->getCond() == part)
      return false;
    if (auto *choice = dyn_cast<AbstractConditionalOperator>(statement); choice && choice->getCond() == part)
      return false;
    if (auto *loop = dyn_cast<ForStmt>(statement); loop && loop->getInit() == part)
      return false;
    auto *op = dyn_cast<BinaryOperator>(statement);
    if (op && (!op->isLogicalOp() || op->getLHS() == part))
      return false;
    const bool decides =
        op || isLoop(statement) || isa<IfStmt, SwitchStmt, AbstractConditionalOperator>(statement);
    return decides && uniformity.branchLevel(statement) > Level::Warp;
  }

  void placeShuffle(StripedAccess &access) {
    if (!isShuffle(access))
      return;
    bool isBlocked = false; ///< something that the shuffle cannot be moved out of
    const Stmt *blockedBy = nullptr;
    for (const Stmt *at = access.expression, *up = parent(at); up; at = up, up = parent(up)) {
      const bool differs = isGovernedDifferently(up, at);
      const bool repeats = isLoop(up);
      if (differs && isBlocked)
        return tellBlocked(access, up, blockedBy);
      if (differs) {
        if (!mayMoveOut(access, up))
          return tellBlocked(access, up, up);
        access.before = up;
      } else if (repeats && !isBlocked) {
        if (mayMoveOut(access, up))
          access.before = up;
        else
          isBlocked = true, blockedBy = up;
      }
    }
    if (access.before) {
      access.before = statementOf(access.before);
      if (!access.before || !mayMoveOut(access, access.before)) {
        keep(
            access.expression->getBeginLoc(),
            fmt::format("'{}' would be a shuffle that not all lanes come to, and there is no place before it",
                        textOf(access.expression)));
        return;
      }
    }
    checkJumps(access);
  }

  void tellBlocked(const StripedAccess &access, const Stmt *divergent, const Stmt *by) {
    keep(access.expression->getBeginLoc(),
         fmt::format(
             "'{}' would be a shuffle that not all lanes come to, and it cannot be moved out of this {}",
             textOf(access.expression), by == divergent ? "place" : "loop"));
    array.whyNot->note(kernel.unit->place(divergent->getBeginLoc()), "lanes go different ways here");
  }

  /// What is read before `statement` is what would be read at the access.
  bool mayMoveOut(const StripedAccess &access, const Stmt *statement) const {
    if (access.isRunTimePlace)
      return false;
    for (const CountedLoop *loop : access.loops())
      if (contains(statement, loop->loop))
        return false;
    if (analysis::holdsBarrier(statement, context()))
      return false;
    return llvm::none_of(array.accesses, [&](const StripedAccess &store) {
      return store.isStore && contains(statement, store.expression) &&
             mayComeBefore(store, access, statement);
    });
  }

  /// A write of the array that may be executed after `statement` began and before the access.
  bool mayComeBefore(const StripedAccess &store, const StripedAccess &access, const Stmt *statement) const {
    for (const Stmt *at = store.expression; at; at = parent(at)) {
      if (isLoop(at) && contains(at, access.expression))
        return true;
      if (at == statement)
        break;
    }
    // In `a[i] += a[i + 1]` the right side comes first.
    const Stmt *assignment = parent(outermostPart(store.expression));
    if (contains(assignment, access.expression))
      return false;
    return sources().isBeforeInTranslationUnit(store.expression->getBeginLoc(),
                                               access.expression->getBeginLoc());
  }

  /// Lanes that leave early do not come to shuffles that follow.
  void checkJumps(const StripedAccess &access) {
    const Stmt *place = access.before ? access.before : access.expression;
    for (const Stmt *jump : collected.jumps) {
      const Stmt *left = whatIsLeft(jump);
      if (!left || !contains(left, place) || !isTakenDifferently(jump, left))
        continue;
      const bool isBehind = sources().isBeforeInTranslationUnit(place->getBeginLoc(), jump->getBeginLoc());
      const bool comesBack = !isa<ContinueStmt>(jump) && isLoop(left);
      const bool isInLoop = isa<ReturnStmt>(jump) && isInAnyLoop(jump);
      if (isBehind && !comesBack && !isInLoop)
        continue;
      keep(access.expression->getBeginLoc(),
           fmt::format("'{}' would be a shuffle that not all lanes come to", textOf(access.expression)));
      array.whyNot->note(kernel.unit->place(jump->getBeginLoc()), "some lanes leave here");
      return;
    }
  }

  bool isInAnyLoop(const Stmt *statement) const {
    for (; statement; statement = parent(statement))
      if (isLoop(statement))
        return true;
    return false;
  }

  const Stmt *whatIsLeft(const Stmt *jump) const {
    if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(jump))
      return kernel.function->getBody();
    for (const Stmt *at = parent(jump); at; at = parent(at))
      if (isLoop(at) || (isa<BreakStmt>(jump) && isa<SwitchStmt>(at)))
        return at;
    return nullptr;
  }

  bool isTakenDifferently(const Stmt *jump, const Stmt *left) const {
    for (const Stmt *at = jump, *up = parent(at); up && at != left; at = up, up = parent(up))
      if (isGovernedDifferently(up, at))
        return true;
    return false;
  }

  /// The statement, in a list of statements or as the whole body of something, that a part belongs to.
  const Stmt *statementOf(const Stmt *part) const {
    for (const Stmt *at = part, *up = parent(at); up; at = up, up = parent(up)) {
      // A declaration among a switch's cases would be jumped over.
      if (isa<CompoundStmt>(up) && isa_and_nonnull<SwitchStmt>(parent(up)))
        return nullptr;
      if (isa<CompoundStmt>(up) || isBody(up, at))
        return at;
      auto *loop = dyn_cast<ForStmt>(up);
      const bool isRepeated = isLoop(up) && !(loop && loop->getInit() == at);
      if (isRepeated || isa<SwitchCase, LabelStmt>(up))
        return nullptr;
    }
    return nullptr;
  }

  static bool isBody(const Stmt *statement, const Stmt *part) {
    if (auto *branch = dyn_cast<IfStmt>(statement))
      return branch->getThen() == part || branch->getElse() == part;
    if (auto *loop = dyn_cast<ForStmt>(statement))
      return loop->getBody() == part;
    if (auto *loop = dyn_cast<WhileStmt>(statement))
      return loop->getBody() == part;
    auto *loop = dyn_cast<DoStmt>(statement);
    return loop && loop->getBody() == part;
  }

  // Loops whose counters must be constants
  // ---------------------------------------------------------------------------------------------------

  void checkLoops(StripedAccess &access) {
    for (const CountedLoop *loop : access.loops()) {
      // Trees and scans wait in every step; there are few steps, and each has another distance.
      if (loop->isUnrolled || (loop->hasBarrier && loop->unrollCount != 1))
        continue;
      const bool isBroadcast = access.kind == StripedAccess::Kind::InRow && access.place.isUniform();
      if (isBroadcast && canBeSplit(access, *loop)) {
        access.splits = loop;
        continue;
      }
      keep(
          access.expression->getBeginLoc(),
          fmt::format("the register of '{}' is an address known only at run time: '{}' counts a loop that is "
                      "not unrolled, and registers have no addresses",
                      textOf(access.expression), loop->counter->getNameAsString()));
      return;
    }
  }

  /// `for (i = 0; i < 256; ++i)` over all places of whole rows: an outer loop over the rows can be unrolled
  /// and the inner one need not, since a shuffle takes any lane.
  bool canBeSplit(const StripedAccess &access, const CountedLoop &loop) const {
    const bool isPlain = access.place.terms.size() == 1 && access.place.terms.begin()->second.factor == 1 &&
                         access.place.terms.begin()->first == loop.counter->getName() &&
                         access.place.constant % lanes == 0;
    if (!isPlain || loop.values.empty() || loop.values.front() % lanes || loop.values.size() % lanes)
      return false;
    for (size_t i = 1; i < loop.values.size(); ++i)
      if (loop.values[i] != loop.values[i - 1] + 1)
        return false;
    const bool leavesRowsTogether = loop.unrollCount == 0 || loop.unrollCount >= loop.values.size() / lanes;
    const bool declaresOne = cast<DeclStmt>(loop.loop->getInit())->isSingleDecl();
    return leavesRowsTogether && declaresOne && !loop.hasBarrier &&
           llvm::none_of(collected.jumps, [&](const Stmt *jump) {
             return isa<BreakStmt>(jump) && whatIsLeft(jump) == loop.loop;
           });
  }

  // Helpers
  // ---------------------------------------------------------------------------------------------------

  Diagnostic stays(SourceLocation at, const std::string &why) const {
    return {Voice::Kept, kernel.unit->place(at),
            fmt::format("'{}' stays in shared memory: {}", array.name, why)};
  }

  bool keep(SourceLocation at, const std::string &why) {
    if (!array.whyNot)
      array.whyNot = stays(at, why);
    return false;
  }

  std::string textOf(const Expr *expression) const {
    std::string text;
    llvm::raw_string_ostream out(text);
    expression->printPretty(out, nullptr, context().getPrintingPolicy());
    return text;
  }

  const Stmt *parent(const Stmt *statement) const { return parents.getParent(const_cast<Stmt *>(statement)); }
  bool contains(const Stmt *outer, const Stmt *inner) const {
    for (; inner; inner = parent(inner))
      if (inner == outer)
        return true;
    return false;
  }
  ASTContext &context() const { return kernel.unit->context(); }
  const SourceManager &sources() const { return kernel.unit->sources(); }

  const source::Kernel &kernel;
  const Uniformity &uniformity;
  const WarpIndices &indices;
  const ParentMap &parents;
  const Collector &collected;
  SharedArray &array;
  std::optional<Diagnostic> sentTo; ///< a store that is in the way, if nothing else is
};

} // namespace

std::set<const CountedLoop *> StripedAccess::loops() const {
  std::set<const CountedLoop *> all;
  for (const WarpIndex *form : {&distance, &other, &place})
    all.merge(form->loops());
  return all;
}

int64_t SharedArray::elements() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

int64_t SharedArray::registersPerLane() const {
  return (elements() + lanes - 1) / lanes * ((elementBytes + 3) / 4);
}

std::vector<SharedArray> sharedArrays(const source::Kernel &kernel, const Uniformity &uniformity,
                                      const WarpIndices &indices, const ParentMap &parents) {
  Collector collected;
  collected.TraverseStmt(kernel.function->getBody());
  std::vector<SharedArray> arrays;
  for (const VarDecl *decl : collected.arrays) {
    arrays.push_back({decl, decl->getNameAsString()});
    ArrayReader(kernel, uniformity, indices, parents, collected, arrays.back()).read();
  }
  return arrays;
}

} // namespace heddle::transform
