// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is open from the first operation that reads it to the last, a sum from the first that adds to it to the
// last. Choosing the order with the fewest open at a time is hard; a greedy choice does well because reactions
// that share species follow each other. Each step looks at all operations that wait, so the time is quadratic in
// the number of reactions: a second for ten thousand.
#include "flow/Order.h"

#include "flow/Stages.h"

#include <algorithm>
#include <tuple>

namespace heddle::flow {

namespace {

/// What each operation keeps alive: values of others that it reads, and sums that it adds to. Values come
/// first in the numbering, sums after them.
class Footprints {
public:
  explicit Footprints(const Program &program) : users(program.definedBy.size() + program.sums.size()) {
    for (unsigned i = 0; i < program.operations.size(); ++i) {
      if (program.operations[i].isPure()) {
        of.emplace_back();
        continue;
      }
      std::vector<unsigned> things = program.inputs(i);
      for (const Contribution &contribution : program.operations[i].contributions)
        things.push_back(unsigned(program.definedBy.size()) + contribution.sum);
      std::ranges::sort(things);
      things.erase(std::unique(things.begin(), things.end()), things.end());
      for (unsigned thing : things)
        ++users[thing];
      of.push_back(std::move(things));
    }
  }

  std::vector<std::vector<unsigned>> of; ///< by operation
  std::vector<unsigned> users;           ///< operations that are still to come, by value or sum
};

} // namespace

std::vector<unsigned> orderForFewLiveValues(const Program &program) {
  Footprints footprints(program);
  const std::vector<unsigned> stages = stagesOf(program);
  std::vector<unsigned> waiting, order;
  std::vector<bool> open(footprints.users.size());

  const auto rank = [&](unsigned operation) {
    int growth = 0;
    double nearEnd = 0;
    for (unsigned thing : footprints.of[operation]) {
      growth += open[thing] ? 0 : 1;
      growth -= footprints.users[thing] == 1 ? 1 : 0;
      nearEnd -= open[thing] ? 1.0 / footprints.users[thing] : 0;
    }
    return std::tuple(growth, nearEnd, operation);
  };
  const unsigned stageCount = stages.empty() ? 0 : 1 + *std::ranges::max_element(stages);
  for (unsigned stage = 0; stage < stageCount; ++stage) {
    for (unsigned i = 0; i < program.operations.size(); ++i)
      if (stages[i] == stage && !program.operations[i].isPure())
        waiting.push_back(i);
    while (!waiting.empty()) {
      const auto next =
          std::ranges::min_element(waiting, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
      const unsigned chosen = *next;
      waiting.erase(next);
      order.push_back(chosen);
      for (unsigned thing : footprints.of[chosen])
        open[thing] = --footprints.users[thing] > 0;
    }
  }
  return order;
}

unsigned mostAlive(const Program &program, const std::vector<unsigned> &order) {
  Footprints footprints(program);
  std::vector<bool> open(footprints.users.size());
  unsigned alive = 0, most = 0;
  for (unsigned operation : order) {
    for (unsigned thing : footprints.of[operation])
      if (!open[thing]) {
        open[thing] = true;
        ++alive;
      }
    most = std::max(most, alive);
    for (unsigned thing : footprints.of[operation])
      if (--footprints.users[thing] == 0)
        --alive;
  }
  return most;
}

} // namespace heddle::flow
