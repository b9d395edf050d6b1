// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of threads: how they are computed from keys, what is stored of them between launches, and whether they are
// profitable. See heddle/regroup.cuh.
#ifndef HEDDLE_REGROUPING_ORDERS_CUH
#define HEDDLE_REGROUPING_ORDERS_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <heddle/regrouping/ways.cuh>
#include <heddle/sort.cuh>
#include <memory>
#include <vector>

#ifndef HEDDLE_REGROUP_DEFAULT
#define HEDDLE_REGROUP_DEFAULT "measure"
#endif

namespace heddle {

// Heddle's own kernels
// ---------------------------------------------------------------------------------------------------------

/// Kernels that report something to the host about a launch. What they write is not a result of the program;
/// `heddle verify` ignores it by this namespace.
namespace asides {

template <class Way, class... Parameters>
__global__ void compareKeys(unsigned *changed, const unsigned *keys, Parameters... arguments) {
  if (keys[regrouping::numberOfThread()] != Way::key(arguments...))
    atomicExch(changed, 1u);
}

static __global__ void copyKeys(sorting::Pairs to, const unsigned *keys, unsigned count) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count)
    return;
  to.keys[at] = keys[at];
  to.items[at] = at;
}

} // namespace asides

namespace regrouping {

template <class Way, class... Parameters> __global__ void findKeys(unsigned *keys, Parameters... arguments) {
  keys[numberOfThread()] = Way::key(arguments...);
}
/// The pairs are sorted by queue, and each queue begins with a new warp. One block, one thread per queue.
static __global__ void findQueues(unsigned *shifts, const unsigned *keys, unsigned count) {
  __shared__ unsigned begins[queueCount + 1], lengths[queueCount];
  const unsigned queue = queueCount - threadIdx.x; // the largest key comes first
  unsigned low = 0, high = count;
  while (low < high) { // the first with a smaller key
    const unsigned middle = (low + high) / 2;
    if (keys[middle] >= queue)
      low = middle + 1;
    else
      high = middle;
  }
  begins[threadIdx.x + 1] = low;
  if (threadIdx.x == 0)
    begins[0] = 0;
  __syncthreads();
  lengths[threadIdx.x] = begins[threadIdx.x + 1] - begins[threadIdx.x];
  __syncthreads();
  unsigned place = 0;
  for (unsigned other = 0; other < threadIdx.x; ++other)
    place += (lengths[other] + 31) / 32 * 32;
  shifts[queue] = place - begins[threadIdx.x];
}
static __global__ void fillQueues(unsigned *places, sorting::Pairs sorted, const unsigned *shifts,
                                  unsigned count) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count && sorted.keys[at] != noWork)
    places[at + shifts[sorted.keys[at]]] = sorted.items[at];
}

/// Elements of threads that the kernel excludes by a guard may not exist.
template <class Element>
__global__ void gather(Element *to, const Element *from, const unsigned *order, const unsigned *keys,
                       unsigned places) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < places && order[at] != noThread && keys[order[at]] != noWork)
    to[at] = from[order[at]];
}
template <class Element>
__global__ void scatter(Element *to, const Element *from, const unsigned *order, const unsigned *keys,
                        unsigned places) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < places && order[at] != noThread && keys[order[at]] != noWork)
    to[order[at]] = from[at];
}

// On the host: what is stored between launches
// ---------------------------------------------------------------------------------------------------------

/// Device memory whose size only increases.
class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  ~Memory() { cudaFree(bytes); }
  template <class T> T *storage(std::size_t count) {
    if (count * sizeof(T) > size) {
      cudaFree(bytes);
      bytes = nullptr;
      size = cudaMalloc(&bytes, count * sizeof(T)) == cudaSuccess ? count * sizeof(T) : 0;
    }
    return static_cast<T *>(bytes);
  }

private:
  void *bytes = nullptr;
  std::size_t size = 0;
};

/// A number that the device writes and the host reads without a copy.
class Answer {
public:
  Answer() {
    if (cudaHostAlloc(reinterpret_cast<void **>(&number), sizeof *number, cudaHostAllocMapped) != cudaSuccess)
      number = nullptr;
    cudaEventCreateWithFlags(&given, cudaEventDisableTiming);
  }
  Answer(const Answer &) = delete;
  ~Answer() {
    cudaFreeHost(number);
    cudaEventDestroy(given);
  }
  unsigned *ask() {
    *number = 0;
    isAsked = true;
    return number;
  }
  void asked(cudaStream_t stream) { cudaEventRecord(given, stream); }
  bool isThere() const { return isAsked && cudaEventQuery(given) == cudaSuccess; }
  bool take() {
    isAsked = false;
    return *static_cast<volatile unsigned *>(number) != 0;
  }
  bool isPending() const { return isAsked; }
  explicit operator bool() const { return number; }

private:
  unsigned *number = nullptr;
  cudaEvent_t given = nullptr;
  bool isAsked = false;
};

/// An order of threads for launches with the same arguments in one stream.
struct Order {
  std::vector<unsigned char> arguments;
  cudaStream_t stream = nullptr;
  Memory keys, pairs, scratch, queues, arrays[16];
  std::size_t scratchBytes = 0; ///< stored, because querying CUB for it takes longer than a small sort
  Answer changed;
  const unsigned *places = nullptr; ///< null: not computed yet
  unsigned placeCount = 0;
  unsigned long long launches = 0, nextLook = 1, distance = 1;
  unsigned changesInARow = 0;
};

enum class Mode { Measure, On, Off };

/// What is known about a kernel for one launch configuration.
struct Site {
  Mode mode = Mode::Measure;
  bool sortingPays = true;                         ///< also if every launch sorts
  unsigned tried = 0;                              ///< launches that were measured
  float original = 0, regrouped = 0, ordering = 0; ///< milliseconds
  std::vector<std::unique_ptr<Order>> orders;      ///< the last used one first
};

constexpr unsigned mostOrders = 4;              ///< of a site: double buffering needs two
constexpr unsigned long long mostDistance = 16; ///< launches between two checks of the keys
constexpr unsigned long long countAgain = 64;   ///< launches after which work is counted again
constexpr unsigned mostThreads = 0x7ffffff0u;
constexpr float worthIt = 0.97f; ///< fraction of the original's time; a smaller gain is not worth it

inline Mode wantedMode() {
  const char *wanted = std::getenv("HEDDLE_REGROUP");
  if (!wanted)
    wanted = HEDDLE_REGROUP_DEFAULT;
  return std::strcmp(wanted, "on") == 0    ? Mode::On
         : std::strcmp(wanted, "off") == 0 ? Mode::Off
                                           : Mode::Measure;
}

inline unsigned wantedRounds() {
  const char *wanted = std::getenv("HEDDLE_REGROUP_ROUNDS");
  const int rounds = wanted ? std::atoi(wanted) : 1;
  return rounds > 1 ? static_cast<unsigned>(rounds) : 1;
}

inline bool sortsOnHost() {
  const char *wanted = std::getenv("HEDDLE_SORT");
  return wanted && std::strcmp(wanted, "cpu") == 0;
}

/// Milliseconds that something takes on the device.
template <class Work> float timeOf(cudaStream_t stream, const Work &work) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  work();
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  float millis = 0;
  cudaEventElapsedTime(&millis, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return millis;
}

inline float medianOf(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Section VI-B of the paper: regrouping is turned off if it gains little or nothing.
inline void decide(Site &site, const char *kernel, unsigned threads) {
  site.sortingPays = site.regrouped + site.ordering < worthIt * site.original;
  site.mode = site.regrouped < worthIt * site.original ? Mode::On : Mode::Off;
  const char *log = std::getenv("HEDDLE_REGROUP_LOG");
  FILE *file = log ? std::fopen(log, "a") : nullptr;
  if (!file)
    return;
  std::fprintf(file,
               "{\"kernel\": \"%s\", \"threads\": %u, \"original_ms\": %.6f, \"regrouped_ms\": %.6f, "
               "\"ordering_ms\": %.6f, \"decision\": \"%s\"}\n",
               kernel, threads, site.original, site.regrouped, site.ordering,
               site.mode == Mode::Off ? "off"
               : site.sortingPays     ? "on"
                                      : "on while inputs stay");
  std::fclose(file);
}

/// The numbers of HEDDLE_REGROUP_ORDER, read once; empty if a thread is missing or occurs twice.
inline std::vector<unsigned> readOrder(const char *path) {
  std::vector<unsigned> order;
  FILE *file = std::fopen(path, "r");
  for (unsigned number; file && std::fscanf(file, "%u", &number) == 1;)
    order.push_back(number);
  if (file)
    std::fclose(file);
  std::vector<bool> isThere(order.size());
  for (unsigned number : order) {
    if (number >= order.size() || isThere[number]) {
      std::fprintf(stderr, "heddle: '%s' is no order of %zu threads: it is not used\n", path, order.size());
      return {};
    }
    isThere[number] = true;
  }
  return order;
}
inline const std::vector<unsigned> &givenOrder() {
  static const char *const path = std::getenv("HEDDLE_REGROUP_ORDER");
  static const std::vector<unsigned> order = path ? readOrder(path) : std::vector<unsigned>();
  return order;
}

inline bool takeOrder(Order &order, const std::vector<unsigned> &given) {
  const std::size_t bytes = given.size() * sizeof(unsigned);
  unsigned *places = order.pairs.storage<unsigned>(given.size());
  if (!places ||
      cudaMemcpyAsync(places, given.data(), bytes, cudaMemcpyHostToDevice, order.stream) != cudaSuccess)
    return false;
  order.places = places;
  order.placeCount = static_cast<unsigned>(given.size());
  return true;
}

inline unsigned blocksOf(unsigned count) { return (count + 255) / 256; }

/// Copies keys to the host and the order to the device, synchronously.
inline void sortOnHost(sorting::Pairs pairs, unsigned count, cudaStream_t stream) {
  unsigned *staged = nullptr;
  if (cudaHostAlloc(reinterpret_cast<void **>(&staged), 2ull * count * sizeof(unsigned),
                    cudaHostAllocMapped) != cudaSuccess)
    return;
  asides::copyKeys<<<blocksOf(count), 256, 0, stream>>>({staged, staged + count}, pairs.keys, count);
  cudaStreamSynchronize(stream);
  std::vector<unsigned> keys(staged, staged + count);
  unsigned *items = staged + count;
  std::sort(items, items + count,
            [&](unsigned a, unsigned b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
  for (unsigned i = 0; i < count; ++i)
    staged[i] = keys[items[i]];
  cudaMemcpyAsync(pairs.keys, staged, count * sizeof(unsigned), cudaMemcpyHostToDevice, stream);
  cudaMemcpyAsync(pairs.items, items, count * sizeof(unsigned), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  cudaFreeHost(staged);
}

/// Computes an order from keys. False if there is not enough memory.
template <class Way> bool sortKeys(Order &order, unsigned count) {
  const unsigned bits = Way::hasQueues ? 9 : sorting::allBits;
  if (order.scratchBytes == 0)
    order.scratchBytes = sorting::scratchBytes(count, bits);
  const std::size_t bytes = order.scratchBytes;
  const unsigned *keys = order.keys.storage<unsigned>(count);
  unsigned *both = order.pairs.storage<unsigned>(4ull * count);
  void *scratch = order.scratch.storage<char>(bytes);
  if (!keys || !both || !scratch)
    return false;
  sorting::Pairs pairs{both, both + count};
  const sorting::Pairs spare{both + 2ull * count, both + 3ull * count};
  asides::copyKeys<<<blocksOf(count), 256, 0, order.stream>>>(pairs, keys, count);
  if (sortsOnHost())
    sortOnHost(pairs, count, order.stream);
  else
    pairs = sorting::sortLargestFirst(pairs, spare, count, bits, scratch, bytes, order.stream);
  order.places = pairs.items;
  order.placeCount = count;
  if (!Way::hasQueues)
    return true;
  const unsigned most = count + 32 * queueCount;
  unsigned *places = order.queues.storage<unsigned>(most + queueCount + 1ull);
  if (!places)
    return false;
  cudaMemsetAsync(places, 0xff, most * sizeof(unsigned), order.stream);
  findQueues<<<1, queueCount, 0, order.stream>>>(places + most, pairs.keys, count);
  fillQueues<<<blocksOf(count), 256, 0, order.stream>>>(places, pairs, places + most, count);
  order.places = places;
  order.placeCount = most;
  return true;
}

inline bool isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

} // namespace regrouping
} // namespace heddle

#endif // HEDDLE_REGROUPING_ORDERS_CUH
