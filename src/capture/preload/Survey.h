// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/preload/Launch.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace heddle::capture {

/// Which kernels the program launches and what each shape of launch costs in total: microseconds on a GPU, executed
/// instructions on the simulator, whose times depend on the host.
class Survey {
public:
  /// A kernel at one grid, block and size of shared memory.
  struct Shape {
    std::string kernel;
    dim3 grid, block;
    size_t sharedBytes = 0;
    uint64_t first = 0; ///< number of its first launch among those that are meant
    uint64_t launches = 0;
    double cost = 0; ///< of all launches
  };

  /// Makes a launch that is meant, and measures it. `number` counts such launches, from 1. Nothing is waited for on a GPU.
  cudaError_t measure(const std::string &kernel, const trace::Launch &launch, uint64_t number);
  /// The same without measuring.
  cudaError_t makeUnmeasured(const std::string &kernel, const trace::Launch &launch, uint64_t number);
  /// Whether no launch of this shape was made yet.
  bool isNew(const std::string &kernel, const trace::Launch &launch) const;
  /// A launch of a kernel that is not meant, or that is recorded into a graph.
  void saw(const std::string &kernel) { ++others[kernel]; }
  void sawInGraph(const std::string &kernel) { ++graphs[kernel]; }

  /// Adds up the events, which waits for the device. Costs are known after that.
  void finish();
  /// Of the last launch that was measured, after a synchronization; negative where it is unknown.
  double lastCost() const;

  const std::vector<Shape> &shapes() const { return all; }
  const std::map<std::string, uint64_t> &otherKernels() const { return others; }
  const std::map<std::string, uint64_t> &kernelsInGraphs() const { return graphs; }
  /// "micros" or "instructions".
  static const char *unit();

private:
  struct Pending {
    size_t shape;
    cudaEvent_t begin, end;
  };
  size_t shapeOf(const std::string &kernel, const trace::Launch &launch, uint64_t number);
  void collect(size_t most);

  std::vector<Shape> all;
  std::map<std::string, size_t> byText;
  std::map<std::string, uint64_t> others, graphs;
  std::deque<Pending> pending;
  double last = -1;
};

} // namespace heddle::capture
