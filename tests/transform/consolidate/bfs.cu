// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search: a thread for each node, those of the frontier look at their neighbours; a second
// kernel makes what they found the next frontier.
//
// For consolidation: no barrier and no shared memory, nothing but blockDim that ties threads together, so
// that 32 threads per block are just as right. Most threads leave at once. Atomics only say what is already so:
// the result does not depend on their order.
#include "Harness.h"

constexpr int Threads = 512;

__global__ void visit(int *cost, int *frontier, int *found, const int *visited, const int *first,
                      const int *edges, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !frontier[node])
    return;
  frontier[node] = 0;
  for (int edge = first[node]; edge < first[node + 1]; ++edge) {
    const int to = edges[edge];
    if (visited[to])
      continue;
    atomicExch(&cost[to], cost[node] + 1); // the same from everywhere: all of the frontier is as far away
    atomicExch(&found[to], 1);
  }
}

__global__ void advance(int *frontier, int *found, int *visited, int *goesOn, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes && found[node]) {
    found[node] = 0;
    frontier[node] = visited[node] = 1;
    atomicExch(goesOn, 1);
  }
}

struct Graph {
  std::vector<int> first, edges;
};

/// Each node knows a few others, mostly near ones; some know none.
static Graph makeGraph(int nodes) {
  Numbers numbers(16);
  Graph graph;
  for (int node = 0; node < nodes; ++node) {
    graph.first.push_back(int(graph.edges.size()));
    for (int edges = numbers.below(7); edges > 0; --edges) {
      const int near = int((node + 1u + numbers.below(64)) % unsigned(nodes));
      graph.edges.push_back(numbers.below(16) ? near : numbers.below(nodes));
    }
  }
  graph.first.push_back(int(graph.edges.size()));
  graph.edges.push_back(0); // never empty
  return graph;
}

static std::vector<int> searchOnHost(const Graph &graph, int nodes) {
  std::vector<int> cost(nodes, -1), queue = {0};
  cost[0] = 0;
  for (size_t head = 0; head < queue.size(); ++head)
    for (int edge = graph.first[queue[head]]; edge < graph.first[queue[head] + 1]; ++edge)
      if (int to = graph.edges[edge]; cost[to] < 0) {
        cost[to] = cost[queue[head]] + 1;
        queue.push_back(to);
      }
  return cost;
}

int main(int argc, char **argv) {
  const int nodes = argument(argc, argv, 1, 1300);
  const Graph graph = makeGraph(nodes);
  std::vector<int> start(nodes), cost(nodes, -1);
  start[0] = 1;
  cost[0] = 0;

  int *deviceCost = toDevice(cost), *frontier = toDevice(start), *visited = toDevice(start);
  int *found = zeros<int>(nodes), *goesOn = zeros<int>(1);
  int *first = toDevice(graph.first), *edges = toDevice(graph.edges);
  const int blocks = blocksFor(nodes, Threads);
  int again = 1;
  while (again) {
    CHECK(cudaMemset(goesOn, 0, sizeof(int)));
    visit<<<blocks, Threads>>>(deviceCost, frontier, found, visited, first, edges, nodes);
    advance<<<blocks, Threads>>>(frontier, found, visited, goesOn, nodes);
    CHECK(cudaMemcpy(&again, goesOn, sizeof(int), cudaMemcpyDeviceToHost));
  }
  const std::vector<int> got = toHost(deviceCost, nodes), wanted = searchOnHost(graph, nodes);
  return verdict("bfs", got, agree(got, [&](size_t i) { return wanted[i]; }, 0));
}
