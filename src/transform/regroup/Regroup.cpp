// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread regrouping, after Liang, Satria, Rupnow and Chen, "An Accurate GPU Performance Model for Effective
// Control Flow Divergence Optimization" (TCAD 2016), sections III and VI.
//
//   1. Check (RegroupCheck): may threads do each other's work?
//   2. Plan: what is their key (RegroupKey), which arrays are reordered (RegroupLayout)?
//   3. Write. The kernel gets whose work a thread does by a parameter in front. Variables called threadIdx
//      and blockIdx hide the built-in ones, so its text is not changed; functions that ask who they are are
//      changed too (TaskFunctions). In front of it is a struct with its key and what else is known of it.
//      Launches go through runtime/heddle/regroup.cuh.
//
// Why the longest come first: Greedy-Max of the paper orders groups by latency, so that the last blocks to
// run are short ones. With one number for each thread that and grouping alike threads are the same as
// sorting.
#include "transform/regroup/Regroup.h"

#include "analysis/RunTwice.h"
#include "source/Mentions.h"
#include "source/Rewriter.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/FunctionCopies.h"
#include "transform/LaunchEdits.h"
#include "transform/Names.h"
#include "transform/PlainIndices.h"
#include "transform/SeparateNames.h"
#include "transform/coarsen/CoarsenCheck.h"
#include "transform/regroup/KeyCode.h"
#include "transform/regroup/RegroupCheck.h"
#include "transform/regroup/RegroupCount.h"
#include "transform/regroup/RegroupKey.h"
#include "transform/regroup/RegroupLayout.h"
#include "transform/tasks/DelegateLaunches.h"
#include "transform/tasks/KernelHead.h"
#include "transform/tasks/TaskFunctions.h"

#include <clang/AST/DeclTemplate.h>

#include <cstring>

using namespace clang;

namespace heddle::transform {

namespace {

/// Columns that a line should not go beyond, and where parameters of a key go on.
constexpr size_t lineLimit = 110, keyIndent = 33;

/// What is going to be written.
struct RegroupPlan {
  std::optional<KeyPlan> key; ///< none: work is counted
  std::vector<OwnArray> arrays;
  bool mayRepeat = false;
};

class KernelRegrouper {
public:
  KernelRegrouper(Context &context, const RegroupPlan &plan)
      : context(context), kernel(context.target.first()), unit(*kernel.unit), plan(plan), names(unit) {
    shape.isItem = true;
    shape.keepsFunctions = !plan.key; // the counting kernel calls them too
    shape.task = nameFreeIn(kernel, "item");
    regrouped = nameFreeIn(kernel, "regrouped");
    ways = names.fresh(capitalized(kernel.function->getNameAsString()) + "Ways");
  }

  bool write() {
    std::optional<Code> described = waysText();
    std::optional<std::vector<Replacement>> calls =
        described ? changeTaskFunctions(context, shape, names) : std::nullopt;
    if (!calls)
      return false;
    replaceParts(context, unit, *calls);
    addBlockParameter();
    useSlots();
    source::Rewriter(unit).insertOnLine(context.edits,
                                        source::wholeDefinition(unit, kernel.function).getBegin(),
                                        described->add(Code::blankLine()));
    giveDeclarations(context, fmt::format("heddle::Regrouped<struct {}>", ways));
    return true;
  }

private:
  // The kernel
  // -----------------------------------------------------------------------------------------------------

  void addBlockParameter() {
    const std::string type =
        fmt::format("heddle::Regrouped<{}{}>", ways, templateArgumentsOf(kernel.function));
    if (auto part = inFrontOfParameters(kernel, "", type + " " + regrouped))
      replaceParts(context, unit, {*part});
    const TaskUses uses = TaskUses::ofAll(context.target.instances);
    const clang::SourceLocation brace = kernel.function->getBody()->getBeginLoc();
    std::string rest;
    for (const Replacement &part : taskEditsIn(unit, kernel.function, uses, shape))
      rest += part.text.substr(1); // it begins with the brace
    context.edits.replace(unit, SourceRange(brace, brace), itemText() + rest);
  }

  std::string itemText() const {
    Code lines = "{";
    lines.addf("  const heddle::Item {} = {}.item();", shape.task, regrouped);
    if (plan.key && plan.key->hasQueues)
      lines.addf("  if (!{}.isThere)", shape.task).add("    return;");
    return lines.str(source::Rewriter(unit).indentOf(kernel.function->getBody()->getEndLoc()));
  }

  void useSlots() {
    for (const OwnArray &array : plan.arrays)
      for (SourceRange subscript : array.subscripts)
        context.edits.replace(unit, subscript, shape.task + ".slot");
  }

  // What is printed about it
  // -----------------------------------------------------------------------------------------------------

  std::optional<Code> waysText() {
    std::optional<std::string> head = templateHead();
    std::optional<Code> function = head ? keyText() : std::nullopt;
    if (!function || !compiles(Code(*head).add(*function).lines("")))
      return std::nullopt;
    Code members = fmt::format("static constexpr const char *name = \"{}\";", kernel.plainName);
    if (plan.mayRepeat)
      members.add("static constexpr bool mayRepeat = true; // it reads nothing that it writes");
    if (plan.key && plan.key->hasQueues)
      members.add("static constexpr bool hasQueues = true;");
    if (!plan.arrays.empty())
      members.add(layoutText("LaidOut", plan.arrays));
    std::vector<OwnArray> overwritten = plan.arrays;
    std::erase_if(overwritten, [](const OwnArray &array) { return !array.isOverwritten; });
    if (!overwritten.empty())
      members.add(layoutText("Overwritten", overwritten));
    Code text = fmt::format("/// How threads of '{}' are regrouped (heddle/regroup.cuh).",
                            kernel.function->getNameAsString());
    text.add(*head).add(
        Code::braces(fmt::format("struct {} : heddle::Ways<{}>", ways, blockText()), members.add(*function)));
    return text.join(";");
  }

  static std::string layoutText(const char *name, const std::vector<OwnArray> &arrays) {
    std::vector<std::string> numbers, names;
    for (const OwnArray &array : arrays) {
      numbers.push_back(std::to_string(array.parameter));
      names.push_back(array.name);
    }
    return fmt::format("using {} = heddle::Layout<{}>; // {}", name, fmt::join(numbers, ", "),
                       fmt::join(names, ", "));
  }

  /// Where all launches have the same block, it need not be divided by at run time.
  std::string blockText() {
    const KernelFacts &facts = context.facts(kernel);
    const std::optional<std::array<int64_t, 3>> block = facts.knownBlock();
    if (facts.launches.empty() || !block)
      return "";
    const auto &[x, y, z] = *block;
    return y == 1 && z == 1 ? std::to_string(x) : fmt::format("{}, {}, {}", x, y, z);
  }

  std::optional<std::string> templateHead() {
    const FunctionTemplateDecl *described = patternOf(kernel.function)->getDescribedFunctionTemplate();
    if (!described)
      return "";
    return context.textOf(unit, described->getTemplateParameters()->getSourceRange());
  }

  std::optional<Code> keyText() {
    Code head;
    if (!plan.key)
      return head;
    const std::string begin = "static __device__ unsigned key(";
    head.add(begin);
    size_t column = begin.size() + 2;
    bool isFirst = true;
    for (const ParmVarDecl *parameter : patternOf(kernel.function)->parameters()) {
      std::optional<std::string> written = context.textOf(unit, parameter->getSourceRange());
      if (!written)
        return std::nullopt;
      const bool fits = column + written->size() + 6 <= lineLimit;
      if (isFirst || fits)
        head.join(isFirst ? "" : ", ");
      else
        head.join(",").add(std::string(keyIndent - 2, ' '));
      head.join(*written);
      column = (isFirst || fits ? column + 2 : keyIndent) + written->size();
      isFirst = false;
    }
    Code lines;
    for (const std::string &line : plan.key->lines)
      lines.add(line);
    return Code::braces(head.join(")"), lines);
  }

  /// A key is the user's own words: whether they mean something, only a compiler says. It is asked about the
  /// function by itself, in front of the kernel as it is: our header would take it longer than all the rest.
  bool compiles(const std::string &function) {
    if (!plan.key || plan.key->hasQueues)
      return true;
    const std::string number = names.fresh("number");
    source::Edits trial;
    source::Rewriter(unit).insertOnLine(trial, source::wholeDefinition(unit, kernel.function).getBegin(),
                                        asPlainFunction(function, number));
    auto applied = trial.apply();
    auto *files = std::get_if<0>(&applied);
    if (!files || files->begin()->first != context.program.file())
      return true; // it will be asked again when all is in one file
    auto result = source::Program::parseText(context.program.file().string(), files->begin()->second,
                                             context.options.compile);
    auto *failure = std::get_if<source::ParseFailure>(&result);
    if (!failure) {
      const auto &program = std::get<std::unique_ptr<source::Program>>(result);
      if (std::optional<KeyFault> fault = faultOfKey(program->device(), number))
        return context.refuse(kernel.location, "the key {} {}", plan.key->about, fault->text)
            .withHint(fault->hint);
      return true;
    }
    const std::string &messages = failure->compilerMessages;
    const size_t error = messages.find("error: "), end = messages.find('\n', error);
    return context
        .refuse(kernel.location, "the key {} does not compile: {}", plan.key->about,
                error == std::string::npos ? "" : messages.substr(error + 7, end - error - 7))
        .withHint(
            "a key is an expression that gives a number, over what is known at the start of the kernel");
  }

  /// With no word of the header's.
  static std::string asPlainFunction(std::string function, const std::string &number) {
    static const std::pair<const char *, const char *> words[] = {
        {"heddle::noWork", "0"}, {"heddle::keyOf", ""}, {" unsigned key(", " double key("}};
    for (auto [ours, plain] : words)
      for (size_t at = function.find(ours); at != std::string::npos; at = function.find(ours, at))
        function.replace(at, std::strlen(ours), plain);
    const size_t name = function.find("double key(");
    return function.replace(name + 7, 3, number);
  }

  Context &context;
  const Kernel &kernel;
  const Unit &unit;
  const RegroupPlan &plan;
  TaskShape shape;
  Names names;
  std::string regrouped, ways;
};

bool refuse(Context &context, const std::string &why, const std::string &hint) {
  return context.refuse(context.target.first().location, why).withHint(hint);
}

/// What `by=` and `via=` ask for together.
bool fitTogether(Context &context) {
  const bool counts = context.directive.word("by") == "profile",
             lays = context.directive.word("via") == "layout";
  if (counts && lays)
    return refuse(context,
                  "needs by=EXPRESSION or by=branch: by=profile does not evaluate the guards that show "
                  "which elements exist",
                  "via=redirect needs no copies");
  using Kind = analysis::ThreadBuiltin::Kind;
  if (context.directive.word("by") == "branch")
    for (const FunctionDecl *function : functionsOf(context.target.first()))
      for (const Uses::Builtin &builtin : Uses::of(function->getBody()).builtins)
        if (builtin.what.kind == Kind::GridDim)
          return context.refuse(
              context.target.first().unit->location(builtin.range),
              "by=branch launches more blocks than the original, and the kernel reads gridDim here");
  return true;
}

std::optional<RegroupPlan> makePlan(Context &context) {
  const Kernel &kernel = context.target.first();
  const bool lays = context.directive.word("via") == "layout";
  RegroupPlan plan;
  if (context.directive.word("by") != "profile") {
    plan.key = planKey(context, kernel, lays);
    if (!plan.key)
      return std::nullopt;
  }
  if (lays)
    plan.arrays = findOwnArrays(context.facts(kernel));
  if (lays && plan.arrays.empty()) {
    refuse(context, "via=layout needs an array of which each thread accesses only its own element",
           "via=redirect leaves arrays as they are");
    return std::nullopt;
  }
  plan.mayRepeat = std::ranges::all_of(context.target.instances, [&](const Kernel *instance) {
    return analysis::mayRunTwice(context.facts(*instance));
  });
  return plan;
}

void reportRegrouping(Context &context, const RegroupPlan &plan, unsigned launches) {
  std::string text = fmt::format("threads of '{}' are grouped by {}", context.target.name,
                                 plan.key ? plan.key->about : "the work that a launch counts");
  std::vector<std::string> arrays;
  for (const OwnArray &array : plan.arrays)
    arrays.push_back("'" + array.name + "'");
  if (!arrays.empty())
    text += "; " + joinAnd(arrays) + (arrays.size() == 1 ? " is" : " are") + " laid out in their order";
  text +=
      plan.mayRepeat ? "; the first launch measures both orders" : "; the first launches measure both orders";
  noteReordering(context, context.done(text + launchesText(launches, "with heddle::regroup")));
}

} // namespace

PassResult regroupThreads(Context &context) {
  if (std::optional<Needs> needed =
          firstNeeded(context, context.target.first(), {separateNames, writePlainIndices}))
    return *needed;
  for (const Kernel *kernel : context.target.instances)
    if (!mayRegroup(context, *kernel))
      return Refused();
  std::optional<RegroupPlan> plan = fitTogether(context) ? makePlan(context) : std::nullopt;
  if (!plan)
    return Refused();
  LaunchHelper helper{"heddle::regroup", "", ""};
  if (!plan->key) {
    std::optional<std::string> counting = writeCountingKernel(context);
    if (!counting)
      return Refused();
    helper.behindKernel = *counting;
  }
  includeHelper(context, "regroup.cuh"); // comes before what is put in front of the kernel
  unsigned launches = 0;
  if (!launchThrough(context, helper, launches) || !KernelRegrouper(context, *plan).write())
    return Refused();
  reportRegrouping(context, *plan, launches);
  return context.edited();
}

} // namespace heddle::transform
