// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// runtime/heddle/delegate.cuh by itself: every task is done once, by a whole warp, with the index and the grid
// that the original's block would have; in each order, for grids in one, two and three dimensions, for
// fewer tasks than warps and for a last wave that is not full; with shared memory of its own; in several
// streams at once; and as part of a graph.
#include <cstdio>
#include <heddle/delegate.cuh>
#include <vector>

using heddle::Order;

/// A task counts itself, and what it finds wrong.
struct Tally {
  int *times; ///< by task
  int *wrong;
};

template <unsigned Depth = 1>
__device__ void doTask(const heddle::Task &task, Tally tally, dim3 grid, bool usesDynamic) {
  __shared__ unsigned fixedOfWarps[4][32];
  extern __shared__ unsigned dynamicOfWarps[];
  unsigned *shared = usesDynamic ? heddle::ownPart<Depth>(dynamicOfWarps, task.sharedBytes)
                                 : fixedOfWarps[heddle::warpOfBlock<Depth>()];
  const uint3 thread = heddle::threadOfTask<Depth>();
  const dim3 block = heddle::blockOfTask<Depth>();
  const unsigned lane = thread.x + block.x * (thread.y + block.y * thread.z);
  const unsigned number = task.blockIdx.x + grid.x * (task.blockIdx.y + grid.y * task.blockIdx.z);
  const bool isThere = task.blockIdx.x < grid.x && task.blockIdx.y < grid.y && task.blockIdx.z < grid.z;
  const bool sameGrid = task.gridDim.x == grid.x && task.gridDim.y == grid.y && task.gridDim.z == grid.z;
  // Each lane leaves its mark, and lane 0 looks whether all 32 are of this task: another warp in the same
  // memory, or one that is a task ahead, would have left others.
  shared[lane] = number * 32 + lane;
  __syncwarp();
  if (lane != 0)
    return;
  bool isWhole = isThere && sameGrid && block.x * block.y * block.z == 32;
  for (unsigned other = 0; other < 32; ++other)
    isWhole &= shared[other] == number * 32 + other;
  if (isThere)
    atomicAdd(&tally.times[number], 1);
  if (!isWhole)
    atomicAdd(tally.wrong, 1);
}

template <Order InOrder, unsigned Throttle, unsigned Depth>
__global__ void __launch_bounds__(128)
    count(heddle::Tasks<4, InOrder, Throttle, Depth> tasks, Tally tally, dim3 grid, bool usesDynamic) {
  for (const heddle::Task task : tasks) {
    doTask<Depth>(task, tally, grid, usesDynamic);
    __syncwarp();
  }
}

/// The results of one launch.
struct Counts {
  explicit Counts(dim3 launched) : grid(launched), tasks(size_t(launched.x) * launched.y * launched.z) {
    cudaMalloc(&tally.times, tasks * sizeof(int));
    cudaMalloc(&tally.wrong, sizeof(int));
    cudaMemset(tally.times, 0, tasks * sizeof(int));
    cudaMemset(tally.wrong, 0, sizeof(int));
  }

  /// How many tasks were not done `times` times, and how many were done wrong.
  int mistakes(int times = 1) const {
    std::vector<int> found(tasks);
    int wrong = 0;
    cudaMemcpy(found.data(), tally.times, tasks * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&wrong, tally.wrong, sizeof(int), cudaMemcpyDeviceToHost);
    for (int each : found)
      wrong += each != times;
    return wrong;
  }

  dim3 grid;
  size_t tasks;
  Tally tally;
};

int failures = 0;
void expectNone(int mistakes, const char *what, dim3 grid) {
  if (mistakes == 0)
    return;
  std::printf("%s, grid (%u, %u, %u): %d mistakes\n", what, grid.x, grid.y, grid.z, mistakes);
  ++failures;
}

template <Order InOrder, unsigned Throttle = 0, unsigned Depth = 1>
void tryGrids(const char *what, dim3 block) {
  // One task, as many as a warp fewer or more than fill a small machine, primes, and all dimensions.
  for (dim3 grid : {dim3(1), dim3(7), dim3(63), dim3(64), dim3(65), dim3(1009), dim3(1, 97), dim3(13, 11),
                    dim3(3, 5, 7), dim3(1, 1, 70), dim3(129, 1, 2)})
    for (bool usesDynamic : {false, true}) {
      Counts counts(grid);
      heddle::delegate(count<InOrder, Throttle, Depth>, grid, block,
                       usesDynamic ? 132 : 0)(counts.tally, grid, usesDynamic);
      expectNone(counts.mistakes(), what, grid);
    }
}

void trySharedMemoryThatFewWarpsHave() {
  const dim3 grid(50);
  Counts counts(grid);
  heddle::delegate(count<Order::Static, 0, 1>, grid, 32, 20000)(counts.tally, grid, true);
  expectNone(counts.mistakes(), "20000 bytes per warp", grid);
}

__global__ void plain(int *) {}

void tryNoTasks() {
  plain<<<0, 32>>>(nullptr);
  const cudaError_t wanted = cudaGetLastError();
  Counts counts(dim3(1));
  heddle::delegate(count<Order::Static, 0, 1>, dim3(0), 32)(counts.tally, dim3(1), false);
  if (wanted == cudaSuccess || cudaGetLastError() != wanted) {
    std::printf("a launch of no blocks is not refused as the original is\n");
    ++failures;
  }
}

void tryArgumentsByAddress() {
  dim3 grid(40, 3);
  Counts counts(grid);
  bool usesDynamic = false;
  void *arguments[] = {&counts.tally, &grid, &usesDynamic};
  heddle::launchDelegated(count<Order::Dynamic, 0, 1>, grid, dim3(32), arguments);
  expectNone(counts.mistakes(), "arguments by address", grid);
}

void tryStreams() {
  const dim3 grid(211);
  Counts first(grid), second(grid);
  cudaStream_t streams[2];
  for (cudaStream_t &stream : streams)
    cudaStreamCreate(&stream);
  for (int round = 0; round < 3; ++round) {
    heddle::delegate(count<Order::Dynamic, 0, 1>, grid, 32, 0, streams[0])(first.tally, grid, false);
    heddle::delegate(count<Order::Dynamic, 0, 1>, grid, 32, 0, streams[1])(second.tally, grid, false);
  }
  cudaDeviceSynchronize();
  expectNone(first.mistakes(3) + second.mistakes(3), "two streams", grid);
}

template <Order InOrder> void tryGraph(const char *what) {
  const dim3 grid(211);
  Counts counts(grid);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  heddle::delegate(count<InOrder, 0, 1>, grid, 32, 0, stream)(counts.tally, grid, false);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  for (int round = 0; round < 3; ++round)
    cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  expectNone(counts.mistakes(3), what, grid);
}

int main() {
  tryGrids<Order::Static>("static", dim3(32));
  tryGrids<Order::Dynamic>("dynamic", dim3(32));
  tryGrids<Order::Static, 8>("static throttle=8", dim3(16, 2));
  tryGrids<Order::Dynamic, 3>("dynamic throttle=3", dim3(8, 4));
  tryGrids<Order::Static, 0, 2>("static, two deep", dim3(4, 4, 2));
  tryGrids<Order::Dynamic, 5, 4>("dynamic throttle=5, four deep", dim3(2, 4, 4));
  trySharedMemoryThatFewWarpsHave();
  tryArgumentsByAddress();
  tryStreams();
  tryGraph<Order::Static>("static in a graph");
  tryGraph<Order::Dynamic>("dynamic in a graph");
  tryNoTasks();
  std::printf(failures ? "FAIL\n" : "PASS\n");
  return failures != 0;
}
