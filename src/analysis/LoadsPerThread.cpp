// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short loop of constant length is unrolled, and loads of one element in its iterations become one load. That is what merged threads
// gain. It does not happen
//
//   - under conditions that differ between the iterations (i < n for each of the merged threads): the element may not exist;
//   - if something in the loop may write the element: a store through a pointer that is not __restrict__, or a barrier, after which
//     other threads have written;
//   - for copies of structs (float4): measured with Clang 22, which makes loads of them only after it has merged others.
//
// A load of the same element in all iterations of a longer loop is moved out of it, under the same conditions.
#include "analysis/LoadsPerThread.h"

#include "analysis/Reuse.h"
#include "model/Thresholds.h"

#include <clang/AST/Expr.h>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::analysis {
namespace {

/// What Clang unrolls without being asked, for small bodies.
constexpr int64_t mostUnrolledTrips = 32;
/// Of nested loops together: beyond that, bodies are too large to be unrolled.
constexpr int64_t mostCopies = 256;

/// Of unrolled loops, by their counters.
using UnrolledIterations = std::map<const Symbol *, int64_t>;

class LoadCounter {
public:
  explicit LoadCounter(const Accesses &accesses) : accesses(accesses) { findBarriers(accesses.order()); }

  LoadsPerThread count() {
    LoadsPerThread loads;
    for (const Access &access : accesses.all())
      if (isCounted(access))
        (access.array->space == Array::Space::Shared ? loads.shared : loads.global) += newLoads(access);
    return loads;
  }

private:
  bool isCounted(const Access &access) const {
    const Array::Space space = access.array->space;
    // A pointer that is itself loaded, as from an array of the merged threads' pointers, is mostly one of global memory.
    if (access.kind != Access::Kind::Read ||
        (space != Array::Space::Shared && space != Array::Space::Global && space != Array::Space::Unknown))
      return false;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      if (accesses.usesThreadDimension(dimension) &&
          isOfOneThread(access, accesses.symbols().threadIdx(dimension)))
        return false;
    return true;
  }

  /// True where there is a barrier below; loops with one are kept.
  bool findBarriers(const Event &event) {
    bool found = event.kind == Event::Kind::Barrier || event.kind == Event::Kind::WarpBarrier;
    for (const auto &child : event.children)
      found |= findBarriers(*child);
    if (found && event.loop)
      loopsWithBarrier.insert(event.loop);
    return found;
  }

  /// As a compiler sees it, which knows nothing of launches.
  static bool mayOverlap(const Array &a, const Array &b) {
    if (&a == &b)
      return true;
    if (a.space != b.space && a.space != Array::Space::Unknown && b.space != Array::Space::Unknown)
      return false;
    const bool areVariables = a.decl && b.decl && !a.isParameter && !b.isParameter;
    return !(areVariables && !(a.isDynamic && b.isDynamic)) && !a.isRestrict && !b.isRestrict;
  }

  bool isWrittenIn(const Loop *loop, const Access &load) const {
    return loopsWithBarrier.contains(loop) || std::ranges::any_of(accesses.all(), [&](const Access &other) {
             return other.isWrite() && other.loop && other.loop->isInside(loop) &&
                    mayOverlap(*other.array, *load.array);
           });
  }

  static bool isStruct(const Access &access) {
    return access.expression && access.expression->getType()->isRecordType();
  }

  /// Something about it changes with the iterations of the loop, and not by the loop's counter alone.
  static bool variesOtherwise(const Polynomial &form, const Loop *loop) {
    return form.mentionsAny([&](const Symbol &symbol) {
      return std::ranges::find(symbol.variesIn, loop) != symbol.variesIn.end();
    });
  }

  /// The conditions under which it is executed, with the iterations of unrolled loops; those that always hold are left out.
  std::string conditionsOf(const Access &access, const UnrolledIterations &iterations) {
    std::string all;
    for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get()) {
      const Condition here = at(guard->condition, iterations);
      if (here.kind == Condition::Kind::AtLeast && here.form.constant())
        continue; // the bounds of the unrolled loops themselves
      all += here.str() + "; ";
      if (!here.hasUnknown())
        continue;
      all += guard->text;
      for (const auto &[counter, iteration] : iterations) // what is not known may differ between those
        if (counter->loop && counter->loop->location.line <= guard->location.line)
          all += fmt::format(" in {}", iteration);
    }
    return all;
  }

  Condition at(Condition condition, const UnrolledIterations &iterations) {
    condition.form = at(condition.form, iterations);
    for (Condition &part : condition.parts)
      part = at(part, iterations);
    return condition;
  }

  Polynomial at(Polynomial form, const UnrolledIterations &iterations) {
    for (const auto &[counter, iteration] : iterations)
      form = form.substituted(counter, Polynomial(iteration), &accesses.symbols());
    return form;
  }

  static double times(const Loop *loop) {
    return loop->trips ? double(*loop->trips) : model::threshold::work::assumedTrips;
  }

  /// What this access adds to those that were counted.
  double newLoads(const Access &access) {
    std::vector<const Loop *> unrolled;
    int64_t copies = 1;
    const Loop *loop = access.loop;
    const bool mayMerge = access.address && !isStruct(access);
    for (; mayMerge && loop && loop->trips && *loop->trips <= mostUnrolledTrips && !loop->hasEarlyExit &&
           copies * *loop->trips <= mostCopies && !isWrittenIn(loop, access) &&
           !variesOtherwise(*access.address, loop);
         loop = loop->parent) {
      unrolled.push_back(loop);
      copies *= *loop->trips;
    }
    double weight = 1;
    bool isMovedOut = mayMerge; // of all loops so far
    for (const Loop *outer = loop; outer; outer = outer->parent) {
      isMovedOut = isMovedOut && !access.address->mentions(outer->counter) &&
                   !variesOtherwise(*access.address, outer) && !isWrittenIn(outer, access);
      weight *= isMovedOut ? 1 : times(outer);
    }
    if (!access.address)
      return weight;
    double added = 0;
    for (int64_t copy = 0; copy < copies; ++copy)
      added += isNew(access, iterationsOf(copy, unrolled), loop) ? weight : 0;
    return added;
  }

  static UnrolledIterations iterationsOf(int64_t copy, const std::vector<const Loop *> &loops) {
    UnrolledIterations iterations;
    for (const Loop *loop : loops) {
      iterations[loop->counter] = copy % *loop->trips;
      copy /= *loop->trips;
    }
    return iterations;
  }

  bool isNew(const Access &access, const UnrolledIterations &iterations, const Loop *around) {
    return elements
        .insert(fmt::format("{} {} {} {} {} {}", static_cast<const void *>(access.array), access.bytes,
                            access.region, static_cast<const void *>(around),
                            at(*access.address, iterations).str(), conditionsOf(access, iterations)))
        .second;
  }

  const Accesses &accesses;
  std::set<const Loop *> loopsWithBarrier;
  std::set<std::string> elements;
};

} // namespace

LoadsPerThread LoadsPerThread::of(const Accesses &accesses) { return LoadCounter(accesses).count(); }

} // namespace heddle::analysis
