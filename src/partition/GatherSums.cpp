// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/GatherSums.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::partition {
namespace {

bool ends(const Step &step) { return step.kind == StepKind::Close || step.kind == StepKind::PutPartial; }

/// An end of a sum, with the additions that were moved before it.
struct Block {
  std::vector<Step> additions;
  Step end;
};

class Gathering {
public:
  Gathering(const std::vector<Step> &steps, const RowFacts &facts) : steps(steps), facts(facts) {
    for (const Step &step : steps)
      if (step.kind == StepKind::PutPartial)
        ++puts[step.sum];
  }

  std::vector<Step> run() {
    for (const Step &step : steps) {
      if ((step.kind == StepKind::Put || step.kind == StepKind::Get) && facts.holdsOneValue[step.row])
        rowOf[step.value] = step.row;
      if (step.kind == StepKind::Accumulate && canWait(step)) {
        waiting[step.sum].push_back(step);
      } else if (ends(step)) {
        blocks.push_back({additionsOf(step.sum), step});
      } else {
        flush();
        result.push_back(step);
      }
    }
    flush();
    return std::move(result);
  }

private:
  const std::vector<Step> &steps;
  const RowFacts &facts;
  std::map<unsigned, unsigned> puts;  ///< partials that are put, by sum
  std::map<unsigned, unsigned> rowOf; ///< values that this warp knows to be in a row
  std::map<unsigned, std::vector<Step>> waiting;
  std::vector<Block> blocks; ///< ends of sums in a row
  std::vector<Step> result;

  /// A sum that is put more than once may have ends in between that the addition must not pass.
  bool canWait(const Step &step) const {
    return step.term.value && rowOf.contains(*step.term.value) && puts.count(step.sum) == 0;
  }

  std::vector<Step> additionsOf(unsigned sum) {
    std::vector<Step> additions;
    for (const Step &step : waiting[sum]) {
      Step get;
      get.kind = StepKind::Get;
      get.value = *step.term.value;
      get.row = rowOf.at(get.value);
      additions.push_back(get);
      additions.push_back(step);
    }
    waiting.erase(sum);
    return additions;
  }

  void flush() {
    std::ranges::stable_sort(blocks, std::greater(),
                             [](const Block &block) { return block.additions.size(); });
    for (Block &block : blocks) {
      std::ranges::move(block.additions, std::back_inserter(result));
      result.push_back(block.end);
    }
    blocks.clear();
  }
};

} // namespace

std::vector<Step> gatherSums(const Partitioned &partitioned, unsigned warp, const RowFacts &facts) {
  return Gathering(partitioned.warps[warp], facts).run();
}

} // namespace heddle::partition
