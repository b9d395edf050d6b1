// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cudart/Abi.h"

#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

/// One piece of work in a graph.
struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<void()> work;
  std::vector<CUgraphNode_st *> after;
  CUgraph_st *graph = nullptr;
};

/// What a cudaGraph_t points at. Nodes are in the order in which they were added; that of a capture is the
/// order of the program's calls, which satisfies every dependence among them.
struct CUgraph_st {
  std::list<CUgraphNode_st> nodes;
};

/// A graph made ready: its work in an order that respects the dependences, each with the node it came from.
struct CUgraphExec_st {
  struct Step {
    const CUgraphNode_st *node;
    std::function<void()> work;
  };
  std::vector<Step> steps;
};

namespace heddle::cudart {

class Stream;

/// Streams whose work is being recorded into one graph.
struct Capture {
  CUgraph_st *graph = nullptr;
  Stream *origin = nullptr;
  std::unordered_set<Stream *> streams;
};

struct CaptureState {
  std::recursive_mutex guard;
  std::list<Capture> all;
  std::unordered_map<Stream *, Capture *> byStream;

  Capture *of(Stream *stream) {
    std::lock_guard lock(guard);
    auto found = byStream.find(stream);
    return found == byStream.end() ? nullptr : found->second;
  }
  void join(Stream *stream, Capture *capture) {
    std::lock_guard lock(guard);
    byStream[stream] = capture;
    capture->streams.insert(stream);
  }
};

/// The graph's nodes so that each comes after those it depends on; empty where they form a circle.
std::vector<const CUgraphNode_st *> inOrder(const CUgraph_st &graph);

} // namespace heddle::cudart
