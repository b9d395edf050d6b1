// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which shared arrays become registers.
//
// 1. Every shared array is looked at by itself (SharedPatterns): it can move where each access is the lane's
// own
//    element, one at a distance that is a constant once loops are unrolled, or one of a row that all know.
// 2. By default, only arrays that together leave room in the register file do.
// 3. The text is written (RemapText) and, where there is a toolkit, shown to ptxas: an array that ends in
// local
//    memory after all, or makes something spill, goes back to shared memory, the largest first.
//
// Barriers stay. A __syncwarp that orders nothing costs next to nothing, and what it orders in global memory
// is not looked into here.
#include "transform/consolidate/Remap.h"

#include "model/Profitability.h"
#include "model/Thresholds.h"
#include "source/Unit.h"
#include "support/Text.h"
#include "transform/LaunchEdits.h"
#include "transform/SeparateNames.h"
#include "transform/TriedText.h"
#include "transform/consolidate/RemapText.h"

#include <clang/AST/Decl.h>
#include <clang/AST/ParentMap.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace heddle::transform {
namespace {

using analysis::SharedArray;
using analysis::StripedAccess;

class Remapping {
public:
  explicit Remapping(Context &context) : context(context) {}

  bool go() {
    std::optional<std::array<int64_t, 3>> block = oneWarp();
    if (!block)
      return true;
    const Kernel &kernel = context.target.first();
    if (separateNames(context, kernel))
      return true;
    clang::ParentMap parents(kernel.function->getBody());
    analysis::WarpIndices indices(*kernel.unit, kernel.function, parents, *block);
    arrays = analysis::sharedArrays(kernel, *context.facts(kernel).uniformity, indices, parents);
    if (arrays.empty()) {
      context.notApplied("remap", kernel.location, "there is no shared array");
      return true;
    }
    choose();
    while (!chosen().empty()) {
      std::optional<source::Edits> edits = written(kernel, parents);
      if (edits && fits(kernel, *edits)) {
        context.edits.append(*edits);
        includeHelper(context, "striped.cuh");
        break;
      }
    }
    return report();
  }

private:
  /// The shape of the block where it is one warp.
  std::optional<std::array<int64_t, 3>> oneWarp() {
    std::optional<std::array<int64_t, 3>> shape;
    for (const Kernel *kernel : context.target.instances) {
      const KernelFacts &facts = context.facts(*kernel);
      const std::optional<std::array<int64_t, 3>> here = facts.knownBlock();
      if (!here || facts.threadsPerBlock() != 32) {
        context.notApplied("remap", kernel->location, "the block is not known to be one warp of 32 threads");
        return std::nullopt;
      }
      if (shape && shape != here) {
        context.notApplied("remap", kernel->location, "instantiations are launched with different blocks");
        return std::nullopt;
      }
      shape = here;
    }
    return shape;
  }

  std::vector<const SharedArray *> chosen() const {
    std::vector<const SharedArray *> found;
    for (const SharedArray &array : arrays)
      if (!array.whyNot)
        found.push_back(&array);
    return found;
  }

  int64_t registers() const {
    int64_t sum = 0;
    for (const SharedArray *array : chosen())
      sum += array->registersPerLane();
    return sum;
  }

  void choose() {
    if (context.target.instances.size() > 1)
      for (SharedArray &array : arrays)
        keep(array, "the kernel is a template with several instantiations, and what is fixed in one need not "
                    "be in another");
    if (context.directive.word("remap") == "on")
      return;
    for (SharedArray &array : arrays)
      if (std::ranges::find(array.accesses, StripedAccess::Kind::Either, &StripedAccess::kind) !=
          array.accesses.end())
        keep(array, "lanes at an edge read one of two elements, and two shuffles for each load cost more "
                    "than shared memory; remap=on moves it all the same");
    if (model::mayMoveToRegisters(registers()))
      return;
    const int64_t wanted = registers();
    for (SharedArray &array : arrays)
      keep(array, fmt::format("the arrays that could move would take {} registers per lane, and more than {} "
                              "reduce occupancy; remap=on moves them nevertheless",
                              wanted, model::threshold::consolidate::mostRemappedRegisters));
  }

  void keep(SharedArray &array, const std::string &why) const {
    if (!array.whyNot)
      array.whyNot = Diagnostic{Severity::Kept, context.device().location(array.decl->getLocation()),
                                fmt::format("'{}' stays in shared memory: {}", array.name, why)};
  }

  /// Nothing where the text cannot be had; then there is one array fewer.
  std::optional<source::Edits> written(const Kernel &kernel, const clang::ParentMap &parents) {
    source::Edits edits;
    Names names(*kernel.unit);
    std::optional<Diagnostic> trouble =
        writeStriped(*kernel.unit, kernel.function, parents, chosen(), names, edits);
    auto applied = edits.apply();
    if (auto *refused = std::get_if<Diagnostic>(&applied); refused && !trouble)
      trouble = *refused;
    if (!trouble)
      return edits;
    keep(largest(), trouble->text);
    return std::nullopt;
  }

  SharedArray &largest() {
    SharedArray *found = nullptr;
    for (SharedArray &array : arrays)
      if (!array.whyNot && (!found || array.registersPerLane() > found->registersPerLane()))
        found = &array;
    return *found;
  }

  /// False where ptxas puts something into local memory that was not there before; then there is one array
  /// fewer. Without a toolkit it is not known.
  bool fits(const Kernel &kernel, const source::Edits &edits) {
    if (!context.program.toolkit())
      return true;
    const std::optional<std::string> text = changedText(edits);
    if (!text)
      return true; // reaches into an included file: it is embedded first, and the stage begins again
    std::optional<analysis::KernelResources> now =
        compiledResources(context.program, context.options.compile,
                          Code("#include <heddle/striped.cuh>").add(*text).lines(""), kernel.mangledName);
    if (!now || (now->stackBytes == 0 && !now->spills()))
      return true;
    std::optional<analysis::KernelResources> then =
        compiledResources(context.program, context.options.compile, textOfFile(context), kernel.mangledName);
    if (then && then->stackBytes >= now->stackBytes && then->spillLoadBytes >= now->spillLoadBytes)
      return true;
    keep(largest(), fmt::format("in registers it would make ptxas use {} bytes of local memory a thread",
                                now->stackBytes + now->spillLoadBytes));
    return false;
  }

  bool report() {
    const std::vector<const SharedArray *> moved = chosen();
    if (moved.empty() && context.directive.word("remap") == "on") {
      const Diagnostic &why = *arrays.front().whyNot;
      return context.refuse(
          {Severity::Refusal, why.location, "no shared array can become registers: " + why.text, why.notes});
    }
    for (const SharedArray &array : arrays)
      if (array.whyNot)
        context.kept(array.whyNot->location, array.whyNot->text).notes = array.whyNot->notes;
    if (moved.empty())
      return true;
    std::vector<std::string> names;
    for (const SharedArray *array : moved)
      names.push_back("'" + array->name + "'");
    context.done("remapped {} to {} register{} per lane", joinAnd(names), registers(),
                 registers() == 1 ? "" : "s");
    return true;
  }

  Context &context;
  std::vector<SharedArray> arrays;
};

} // namespace

PassResult remapShared(Context &context) {
  if (context.directive.word("remap") == "off")
    return Unchanged();
  return context.editedIf(Remapping(context).go());
}

} // namespace heddle::transform
