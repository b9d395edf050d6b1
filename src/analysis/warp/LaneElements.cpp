// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element of a shared array each lane touches.
//
// A block is one warp here, and lane l keeps elements l, l + 32, l + 64, ... of the array in its registers. An
// access can become one of registers where its element has one of these forms, for
// __shared__ float t[64] and lane = threadIdx.x:
//
//     t[lane], t[lane + 32]       Own: the lane's own register 0 or 1
//     t[lane + 1]                 Ahead: a shuffle from the next lane
//     t[5]                        InRow: all lanes read register 0 of lane 5
//     t[c ? lane : lane + 1]      Either: both are read, and the condition says which was meant
//
// 1. The subscripts become one number, a form over threadIdx, loop counters and constants (WarpIndex).
// 2. Where the number is not lane + distance, a condition around the access may help: under
//    `if (threadIdx.x == 0)`, sums[0] is sums[lane]. Such equations are added in multiples.
// 3. What is left must be in the same row (register) for all lanes, whatever the counters are.
//
// A shuffle can fetch, not send: a store must be of the lane's own element. Not handled: more than two possible
// elements, and rows that differ by lane (registers have no addresses). Cost: the product of the trip counts of
// the loops that count the index, which WarpIndices bounds.
#include "analysis/warp/SharedSteps.h"
#include "source/Kernel.h"

#include <clang/AST/ASTContext.h>
#include <fmt/format.h>

using namespace clang;

namespace heddle::analysis {
namespace {

/// The access that is asked for, and the ways to answer.
struct Question {
  StripedAccess access;
  const SharedArray &array;
  const KernelReading &in;

  std::string text() const { return in.textOf(access.expression); }
  LanePattern answer() const { return {access, std::nullopt}; }
  LanePattern refuse(const std::string &why) const {
    return {std::nullopt, in.stays(array.name, access.expression->getBeginLoc(), why)};
  }
  /// An address known only at run time is the better reason: it is beyond any other way of distributing
  /// elements to lanes.
  LanePattern notOwner() const {
    LanePattern pattern = refuse(fmt::format("'{}' is written by a lane that does not hold that element: a "
                                             "shuffle reads from another lane and cannot write to it",
                                             text()));
    pattern.isForLackOfBetter = true;
    return pattern;
  }
  bool isFromLane(const WarpIndex &number) const { return number.thread == in.indices.lane().thread; }
  WarpIndex distanceOf(const WarpIndex &number) const { return WarpIndex(number).add(in.indices.lane(), -1); }
};

IndexForms elementNumber(const Question &question) {
  const std::vector<const Expr *> &subscripts = question.access.indices;
  std::vector<WarpIndex> numbers = {{}};
  int64_t stride = 1;
  for (size_t d = subscripts.size(); d-- > 0; stride *= question.array.extents[d]) {
    IndexForms forms = question.in.indices.formsOf(subscripts[d]);
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

LanePattern withRunTimeIndex(Question question, const Diagnostic &why) {
  StripedAccess &access = question.access;
  if (access.isStore || question.array.elements() > lanesPerWarp)
    return question.refuse(
        fmt::format("the register of '{}' is not a constant: {}, and registers cannot be indexed at run time",
                    question.text(), why.text));
  access.kind = StripedAccess::Kind::InRow;
  access.hasRunTimeIndex = true;
  return question.answer();
}

LanePattern eitherOf(Question question, const std::vector<WarpIndex> &list) {
  StripedAccess &access = question.access;
  if (access.isStore || !question.isFromLane(list[0]) || !question.isFromLane(list[1]))
    return question.refuse(
        fmt::format("'{}' may be one of two elements, and their distances from the lane are not constant",
                    question.text()));
  access.kind = StripedAccess::Kind::Either;
  access.distance = question.distanceOf(list[0]);
  access.other = question.distanceOf(list[1]);
  // The own element is read where it is used: the lane itself may have written it just before.
  if (access.distance.isMultipleOf(lanesPerWarp))
    std::swap(access.distance, access.other);
  return question.answer();
}

/// Lanes read from one row: it must be the same for all of them, whatever the counters are.
LanePattern inOneRow(Question question, const WarpIndex &number) {
  auto all = WarpIndices::combinations(number.loops());
  if (!all)
    return question.refuse(
        fmt::format("unrolling the loops that count '{}' takes too many copies", question.text()));
  for (const WarpIndices::Counters &counters : *all) {
    auto [least, most] = question.in.indices.rangeOverLanes(number, counters);
    if ((least >> 5) != (most >> 5))
      return question.refuse(fmt::format(
          "the register of '{}' differs between lanes, and registers cannot be indexed at run time",
          question.text()));
  }
  question.access.kind = StripedAccess::Kind::InRow;
  question.access.location = number;
  return question.answer();
}

void addEquations(const Expr *condition, std::vector<WarpIndex> &found, const KernelReading &in) {
  auto *op = dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
  if (op && op->getOpcode() == BO_LAnd) {
    addEquations(op->getLHS(), found, in);
    addEquations(op->getRHS(), found, in);
  }
  if (!op || op->getOpcode() != BO_EQ)
    return;
  std::optional<WarpIndex> left = in.indices.formOf(op->getLHS()), right = in.indices.formOf(op->getRHS());
  if (left && right)
    found.push_back(left->add(*right, -1));
}

/// What is 0 at every access to the element.
std::vector<WarpIndex> equationsAt(const Stmt *element, const KernelReading &in) {
  std::vector<WarpIndex> found;
  for (const Stmt *at = element, *up = in.parent(at); up; at = up, up = in.parent(up)) {
    auto *branch = dyn_cast<IfStmt>(up);
    auto *choice = dyn_cast<ConditionalOperator>(up);
    if (branch && branch->getThen() == at)
      addEquations(branch->getCond(), found, in);
    else if (choice && choice->getTrueExpr() == at)
      addEquations(choice->getCond(), found, in);
  }
  return found;
}

/// `threadIdx.x + kx * 32 == 0` around the access: adding a multiple of it changes nothing there, and may
/// turn an element that one thread reads into that thread's own.
WarpIndex withEquations(WarpIndex number, const Expr *element, const KernelReading &in) {
  const WarpIndex lane = in.indices.lane();
  for (const WarpIndex &zero : equationsAt(element, in)) {
    const auto used = llvm::find_if(zero.thread, [](int64_t factor) { return factor != 0; });
    const size_t d = size_t(used - zero.thread.begin());
    const bool isOfOneDimension = used != zero.thread.end() && llvm::count(zero.thread, 0) == 2;
    const int64_t missing = isOfOneDimension ? lane.thread[d] - number.thread[d] : 0;
    if (missing && missing % *used == 0)
      number.add(zero, missing / *used);
  }
  return number;
}

} // namespace

LanePattern lanePattern(StripedAccess given, const SharedArray &array, const KernelReading &in) {
  Question question{std::move(given), array, in};
  IndexForms forms = elementNumber(question);
  if (auto *why = std::get_if<Diagnostic>(&forms))
    return withRunTimeIndex(question, *why);
  const std::vector<WarpIndex> &list = std::get<0>(forms);
  if (list.size() > 2)
    return question.refuse(fmt::format("'{}' may be one of {} elements, and at most two are supported",
                                       question.text(), list.size()));
  if (list.size() == 2)
    return eitherOf(question, list);
  WarpIndex number = list.front();
  StripedAccess &access = question.access;
  if (!question.isFromLane(number))
    number = withEquations(number, access.expression, in);
  if (question.isFromLane(number)) {
    access.distance = question.distanceOf(number);
    const bool isOwn = access.distance.isMultipleOf(lanesPerWarp);
    access.kind = isOwn ? StripedAccess::Kind::Own : StripedAccess::Kind::Ahead;
    return !access.isStore || isOwn ? question.answer() : question.notOwner();
  }
  return access.isStore ? question.notOwner() : inOneRow(question, number);
}

} // namespace heddle::analysis
