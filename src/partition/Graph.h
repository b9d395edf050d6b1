// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as a dataflow graph: operations, what each costs, who reads whose values, and what sums are made
// of. Operations that are not needed are marked, and so are those that every warp does for itself.
#pragma once

#include "flow/Program.h"
#include "partition/Options.h"

#include <vector>

namespace heddle::partition {

struct Node {
  unsigned cost = 0;  ///< instructions, about
  unsigned shape = 0; ///< the same for operations whose code differs in constants and indices alone
  bool isWanted = false;
  bool isReplicated = false;    ///< done by each warp that needs it
  std::vector<unsigned> inputs; ///< values of other operations that its code reads, each once
  std::vector<unsigned> totals; ///< sums that its code reads, each once
};

/// A term of a sum: coefficient * operand, from whichever operation it came.
struct Term {
  double coefficient = 1;
  flow::Operand operand;
};

struct Graph {
  const flow::Program *program = nullptr;
  std::vector<Node> nodes;                         ///< of each operation
  std::vector<std::vector<unsigned>> readers;      ///< of each value: wanted operations whose code reads it
  std::vector<std::vector<Term>> terms;            ///< of each sum
  std::vector<std::vector<unsigned>> totalReaders; ///< of each sum: wanted operations
  std::vector<bool> isWantedSum;
  unsigned shapes = 0;

  /// The operation that a term comes from; none for constants and values that every warp has.
  std::optional<unsigned> homeOf(const Term &term) const;
  /// Does the value have to be sent where other warps want it?
  bool isSent(unsigned value) const { return !nodes[program->definedBy[value]].isReplicated; }
  /// Wanted, and done by one warp alone.
  bool isMapped(unsigned operation) const {
    return nodes[operation].isWanted && !nodes[operation].isReplicated;
  }
};

Graph makeGraph(const flow::Program &program, const PartitionOptions &options);

} // namespace heddle::partition
