// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// runtime/heddle/sort.cuh and regroup.cuh by themselves: items come out sorted and in their order where keys
// are equal; every thread's work is done once, whatever the shape of the launch; the longest come first;
// queues never share a warp; arrays that were reordered are copied back; an order is kept while inputs stay and computed again when they
// change; and all modes leave the same.
#include <cstdio>
#include <cstdlib>
#include <heddle/regroup.cuh>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

int failures = 0;
void expect(bool holds, const char *what, long long number = 0) {
  if (holds)
    return;
  std::printf("%s (%lld)\n", what, number);
  ++failures;
}

template <class T> T *managed(size_t count) {
  T *memory = nullptr;
  cudaMallocManaged(&memory, count * sizeof(T));
  std::fill_n(memory, count, T());
  return memory;
}

unsigned randomNumber() {
  static unsigned state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// Sorting
// ---------------------------------------------------------------------------------------------------------

void trySorting(unsigned count, unsigned bound, unsigned bits) {
  unsigned *memory = managed<unsigned>(4 * count);
  heddle::sorting::Pairs pairs{memory, memory + count}, room{memory + 2 * count, memory + 3 * count};
  for (unsigned i = 0; i < count; ++i)
    pairs.keys[i] = bound ? randomNumber() % bound : randomNumber() * 2654435761u, pairs.items[i] = i;
  std::vector<unsigned> keys(pairs.keys, pairs.keys + count), wanted(count);
  std::iota(wanted.begin(), wanted.end(), 0u);
  std::sort(wanted.begin(), wanted.end(),
            [&](unsigned a, unsigned b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
  const size_t bytes = heddle::sorting::scratchBytes(count, bits);
  void *scratch = nullptr;
  cudaMalloc(&scratch, bytes);
  pairs = heddle::sorting::sortLargestFirst(pairs, room, count, bits, scratch, bytes, nullptr);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < count; ++i)
    if (pairs.items[i] != wanted[i] || pairs.keys[i] != keys[wanted[i]])
      return expect(false, "an item is not where it belongs", i);
}

// Every thread once, in every shape
// ---------------------------------------------------------------------------------------------------------

/// What threads leave: how often each item was done, and in which place the work of each was.
struct Tally {
  int *times;
  unsigned *doneAt;
  int *keyCalls;
};

__device__ unsigned globalNumber(uint3 thread, uint3 block, dim3 grid) {
  const unsigned inBlock = thread.x + blockDim.x * (thread.y + blockDim.y * thread.z);
  return (block.x + grid.x * (block.y + grid.y * block.z)) * (blockDim.x * blockDim.y * blockDim.z) + inBlock;
}

template <unsigned X, unsigned Y, unsigned Z> struct CountWays : heddle::Ways<X, Y, Z> {
  static __device__ unsigned key(Tally tally, const int *work, unsigned count, dim3 grid) {
    const unsigned number = globalNumber(threadIdx, blockIdx, grid);
    atomicAdd(tally.keyCalls, 1);
    return number < count ? heddle::keyOf(work[number]) : heddle::noWork;
  }
};
template <class Way>
__global__ void count(heddle::Regrouped<Way> regrouped, Tally tally, const int *work, unsigned items,
                      dim3 grid) {
  const heddle::Item item = regrouped.item();
  const unsigned place = heddle::regrouping::numberOfThread();
  const uint3 threadIdx = item.threadIdx, blockIdx = item.blockIdx;
  const unsigned number = globalNumber(threadIdx, blockIdx, grid);
  if (number >= items)
    return;
  atomicAdd(&tally.times[number], 1);
  tally.doneAt[place] = work[number] + 1;
}

struct Counts {
  explicit Counts(unsigned threads) : threads(threads) {
    tally = {managed<int>(threads), managed<unsigned>(threads), managed<int>(1)};
    work = managed<int>(threads);
    for (unsigned i = 0; i < threads; ++i)
      work[i] = randomNumber() % 37;
  }
  void expectDone(int times, unsigned items, const char *what) const {
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < threads; ++i)
      if (tally.times[i] != (i < items ? times : 0))
        return expect(false, what, i);
  }
  bool isLongestFirst(unsigned items) const {
    cudaDeviceSynchronize();
    return std::is_sorted(tally.doneAt, tally.doneAt + items, std::greater<unsigned>());
  }
  unsigned threads;
  Tally tally;
  int *work;
};

template <unsigned X, unsigned Y, unsigned Z> void tryShape(dim3 grid, dim3 block) {
  const unsigned threads = grid.x * grid.y * grid.z * block.x * block.y * block.z, items = threads - 5;
  Counts counts(threads);
  for (int launch = 1; launch <= 3; ++launch) {
    heddle::regroup(count<CountWays<X, Y, Z>>, grid, block)(counts.tally, counts.work, items, grid);
    counts.expectDone(launch, items, "threads were not done once each");
  }
  expect(counts.isLongestFirst(items), "the longest do not come first", threads);
}

/// A block that is not the one the kernel was made for goes as it is.
void tryAnotherBlock() {
  Counts counts(4 * 96);
  heddle::regroup(count<CountWays<64, 1, 1>>, 4, 96)(counts.tally, counts.work, counts.threads, dim3(4));
  counts.expectDone(1, counts.threads, "a block of another size");
  expect(*counts.tally.keyCalls == 0, "keys for a block of another size", *counts.tally.keyCalls);
}

// Kept while inputs stay
// ---------------------------------------------------------------------------------------------------------

void tryInputsThatChange() {
  Counts counts(8 * 64);
  const dim3 grid(8);
  const auto launch = [&](int times) {
    for (int i = 0; i < times; ++i) {
      heddle::regroup(count<CountWays<64, 1, 1>>, grid, 64)(counts.tally, counts.work, counts.threads, grid);
      cudaDeviceSynchronize(); // answers are there by the next launch
    }
  };
  launch(1);
  expect(counts.isLongestFirst(counts.threads), "the first launch is not in order");
  launch(40);
  const int calls = *counts.tally.keyCalls / int(counts.threads);
  expect(calls >= 2 && calls <= 12, "keys are not looked at now and then", calls);
  for (unsigned i = 0; i < counts.threads; ++i)
    counts.work[i] = randomNumber() % 91;
  launch(40);
  expect(counts.isLongestFirst(counts.threads), "what changed was not noticed in 40 launches");
  counts.expectDone(81, counts.threads, "while inputs changed");
  // Other arguments have an order of their own.
  Counts others(8 * 64);
  heddle::regroup(count<CountWays<64, 1, 1>>, grid, 64)(others.tally, others.work, others.threads, grid);
  expect(others.isLongestFirst(others.threads), "other arguments are not in order");
}

// Queues
// ---------------------------------------------------------------------------------------------------------

struct QueueWays : heddle::Ways<96> {
  static constexpr bool hasQueues = true;
  static __device__ unsigned key(int *, unsigned *, const int *kinds, int items) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
      return heddle::noWork;
    return heddle::queueOf(kinds[i]);
  }
};
__global__ void serve(heddle::Regrouped<QueueWays> regrouped, int *times, unsigned *mixed, const int *kinds,
                      int items) {
  const heddle::Item item = regrouped.item();
  if (!item.isThere)
    return;
  const unsigned here = __activemask();
  const uint3 threadIdx = item.threadIdx, blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items)
    return;
  atomicAdd(&times[i], 1);
  if (regrouped.order && __match_any_sync(here, kinds[i]) != here)
    atomicAdd(mixed, 1u);
}

void tryQueues(int items, int kinds) {
  const int blocks = (items + 95) / 96;
  int *times = managed<int>(items), *kind = managed<int>(items);
  unsigned *mixed = managed<unsigned>(1);
  for (int i = 0; i < items; ++i)
    kind[i] = int(randomNumber() % unsigned(kinds)) - 3;
  for (int launch = 1; launch <= 2; ++launch) {
    heddle::regroup(serve, blocks, 96)(times, mixed, kind, items);
    cudaDeviceSynchronize();
    for (int i = 0; i < items; ++i)
      if (times[i] != launch)
        return expect(false, "an item of a queue was not served once", i);
  }
  expect(*mixed == 0 || kinds > int(heddle::queueCount), "warps serve two kinds", *mixed);
}

// Layout
// ---------------------------------------------------------------------------------------------------------

struct Wide {
  int a[5];
};
struct LayWays : heddle::Ways<64> {
  using LaidOut = heddle::Layout<0, 1, 3, 5>;
  using Overwritten = heddle::Layout<5>;
  static __device__ unsigned key(int *, const Wide *, const int *all, int *, int items, float *) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items)
      return heddle::noWork;
    return heddle::keyOf(all[(i + 1) % items]);
  }
};
__global__ void mix(heddle::Regrouped<LayWays> regrouped, int *out, const Wide *wide, const int *all,
                    int *both, int items, float *fresh) {
  const heddle::Item item = regrouped.item();
  const uint3 threadIdx = item.threadIdx, blockIdx = item.blockIdx;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= items)
    return;
  if (all[i] % 3 != 0) // others keep what they have
    out[item.slot] = wide[item.slot].a[2] + all[(i + 1) % items];
  both[item.slot] += i;
  fresh[item.slot] = 0.5f * float(i);
}

void tryLayout(int items) {
  int *out = managed<int>(items), *all = managed<int>(items), *both = managed<int>(items);
  Wide *wide = managed<Wide>(items);
  float *fresh = managed<float>(items);
  for (int i = 0; i < items; ++i)
    all[i] = int(randomNumber() % 50), wide[i].a[2] = 100 * i, out[i] = -i, both[i] = 7;
  for (int launch = 1; launch <= 3; ++launch)
    heddle::regroup(mix, (items + 63) / 64, 64)(out, wide, all, both, items, fresh);
  cudaDeviceSynchronize();
  for (int i = 0; i < items; ++i) {
    const int wanted = all[i] % 3 ? 100 * i + all[(i + 1) % items] : -i;
    if (out[i] != wanted || both[i] != 7 + 3 * i || fresh[i] != 0.5f * float(i))
      return expect(false, "an element did not come back from its copy", i);
  }
}

// Counted work
// ---------------------------------------------------------------------------------------------------------

struct StepWays : heddle::Ways<64> {};
__global__ void stepsCounted(heddle::Counted counted, int *times, unsigned *doneAt, const int *work) {
  heddle::Counter counter(counted);
  const unsigned number = heddle::regrouping::numberOfThread();
  atomicAdd(&times[number], 1);
  for (int i = 0; i < work[number]; ++i)
    counter.step();
  doneAt[number] = work[number];
}
__global__ void steps(heddle::Regrouped<StepWays> regrouped, int *times, unsigned *doneAt, const int *work) {
  const heddle::Item item = regrouped.item();
  const unsigned number = item.blockIdx.x * 64 + item.threadIdx.x;
  atomicAdd(&times[number], 1);
  doneAt[heddle::regrouping::numberOfThread()] = work[number];
}

void tryCounting() {
  Counts counts(6 * 64);
  for (int launch = 1; launch <= 3; ++launch) {
    heddle::regroup(steps, stepsCounted, 6, 64)(counts.tally.times, counts.tally.doneAt, counts.work);
    counts.expectDone(launch, counts.threads, "while work was counted");
  }
  expect(counts.isLongestFirst(counts.threads), "the longest that were counted do not come first");
}

// Modes, streams and graphs
// ---------------------------------------------------------------------------------------------------------

/// In each mode, for a kernel that may not run twice: ten launches are ten.
void tryMode(const char *mode) {
  setenv("HEDDLE_REGROUP", mode, 1);
  for (unsigned blocks : {1u, 5u}) {
    Counts counts(blocks * 32);
    for (int launch = 1; launch <= 10; ++launch) {
      heddle::regroup(count<CountWays<32, 1, 1>>, blocks, 32)(counts.tally, counts.work, counts.threads,
                                                              dim3(blocks));
      counts.expectDone(launch, counts.threads, mode);
    }
    if (mode[1] == 'f')
      expect(*counts.tally.keyCalls == 0, "keys where nothing is regrouped", *counts.tally.keyCalls);
  }
  setenv("HEDDLE_REGROUP", "on", 1);
}

/// A kernel that may run twice is measured at once, others over some launches; each decides once, and says
/// so.
template <int> struct AgainWays : heddle::Ways<32> {
  static constexpr const char *name = "again";
  static constexpr bool mayRepeat = true;
  static __device__ unsigned key(int *, const int *work) { return heddle::keyOf(work[threadIdx.x]); }
};
template <int Which>
__global__ void again(heddle::Regrouped<AgainWays<Which>> regrouped, int *out, const int *work) {
  const heddle::Item item = regrouped.item();
  out[item.threadIdx.x] = 3 * work[item.threadIdx.x];
}

std::vector<std::string> linesOf(const char *path) {
  std::vector<std::string> lines;
  char line[512];
  FILE *file = std::fopen(path, "r");
  while (file && std::fgets(line, sizeof line, file))
    lines.push_back(line);
  if (file)
    std::fclose(file);
  return lines;
}

void tryMeasuring() {
  char path[] = "/tmp/heddle-orders-XXXXXX";
  close(mkstemp(path));
  setenv("HEDDLE_REGROUP_LOG", path, 1);
  setenv("HEDDLE_REGROUP_ROUNDS", "3", 1);
  int *out = managed<int>(32), *work = managed<int>(32);
  for (int i = 0; i < 32; ++i)
    work[i] = i * 7 % 32;
  setenv("HEDDLE_REGROUP", "measure", 1);
  for (int launch = 0; launch < 3; ++launch)
    heddle::regroup(again<0>, 1, 32)(out, work);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    expect(out[i] == 3 * work[i], "a launch that was measured left something else", i);
  expect(linesOf(path).size() == 1, "a kernel that may run twice does not decide at its first launch");
  tryMode("measure");
  setenv("HEDDLE_REGROUP", "measure", 1);
  heddle::regroup(again<1>, 1, 32)(work, work); // given twice, it may not run twice
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    expect(work[i] == 3 * (i * 7 % 32), "a launch on its own input ran twice", i);
  const std::vector<std::string> lines = linesOf(path);
  expect(lines.size() == 3, "not every shape of launch decides once", (long long)lines.size());
  for (const std::string &line : lines)
    expect(line.find("\"original_ms\": ") != std::string::npos &&
               line.find("\"decision\": \"o") != std::string::npos,
           "a decision is not reported in full");
  unsetenv("HEDDLE_REGROUP_LOG");
  setenv("HEDDLE_REGROUP", "on", 1);
  std::remove(path);
}

void tryGraph() {
  const dim3 grid(4);
  Counts counts(4 * 64);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  cudaStreamCreate(&stream);
  const auto launch = [&] {
    heddle::regroup(count<CountWays<64, 1, 1>>, grid, 64, 0, stream)(counts.tally, counts.work,
                                                                     counts.threads, grid);
  };
  launch(); // what a graph captures goes by an order that is there
  cudaStreamSynchronize(stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  launch();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  for (int round = 0; round < 3; ++round)
    cudaGraphLaunch(ready, stream);
  cudaStreamSynchronize(stream);
  counts.expectDone(4, counts.threads, "in a graph");
  expect(counts.isLongestFirst(counts.threads), "a graph is not in order");
}

int main() {
  setenv("HEDDLE_REGROUP", "on", 1);
  for (unsigned size : {1u, 31u, 256u, 257u, 1000u, 5000u}) {
    trySorting(size, 3, 32);
    trySorting(size, 256, 9);
    trySorting(size, 0, 32);
  }
  tryShape<64, 1, 1>(7, 64);
  tryShape<0, 1, 1>(7, 48);
  tryShape<8, 4, 2>(dim3(3, 2, 2), dim3(8, 4, 2));
  tryShape<0, 1, 1>(dim3(2, 3), dim3(5, 7));
  tryAnotherBlock();
  tryInputsThatChange();
  tryQueues(1000, 4);
  tryQueues(95, 300);
  tryQueues(1, 1);
  tryLayout(500);
  tryLayout(64);
  tryCounting();
  tryMode("on");
  tryMode("off");
  tryMeasuring();
  tryGraph();
  setenv("HEDDLE_SORT", "cpu", 1);
  tryShape<64, 1, 1>(7, 64);
  tryQueues(1000, 4);
  expect(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess,
         "an error was left behind");
  std::printf(failures ? "FAIL\n" : "PASS\n");
  return failures != 0;
}
