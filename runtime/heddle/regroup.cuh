// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that do like work, side by side: a launch in which every thread does the work of another one, in an
// order that puts those with equal keys into one warp and the longest first.
//
//     struct ScaleWays : heddle::Ways<128> {                               128 threads a block
//       static __device__ unsigned key(float *a, const int *steps, int n) {      what is known before the
//       kernel runs
//         const int i = blockIdx.x * blockDim.x + threadIdx.x;
//         if (i >= n)
//           return heddle::noWork;
//         return heddle::keyOf(steps[i]);
//       }
//     };
//     __global__ void scale(heddle::Regrouped<ScaleWays> regrouped, float *a, const int *steps, int n) {
//       const heddle::Item item = regrouped.item();
//       const uint3 threadIdx = item.threadIdx, blockIdx = item.blockIdx;  from here on it is that thread
//       ...
//     }
//     heddle::regroup(scale, grid, 128, 0, stream)(a, steps, n);           instead of scale<<<...>>>(a,
//     steps, n)
//
// An order of threads never changes what is computed, so it may be out of date: it is kept for a launch with
// the same arguments, keys are looked at again now and then without waiting for the answer, and what was
// found is heeded by a later launch. In the environment:
//
//     HEDDLE_REGROUP=measure   the default: the first launches try both orders and keep the better one,
//     counting what
//                              keys, sorting and copies cost
//     HEDDLE_REGROUP=on, off   always, never; nothing is timed
//     HEDDLE_REGROUP_LOG=FILE  a line of JSON for each decision
//     HEDDLE_REGROUP_ROUNDS=N  times that each order is tried (1); the median counts
//     HEDDLE_SORT=cub, own, cpu    who sorts
//
// -DHEDDLE_REGROUP_DEFAULT=\"on\" is for where there is no environment.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <heddle/sort.cuh>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef HEDDLE_REGROUP_DEFAULT
#define HEDDLE_REGROUP_DEFAULT "measure"
#endif

namespace heddle {

// Keys
// ---------------------------------------------------------------------------------------------------------

/// The key of threads that the kernel lets go at once: behind all others.
constexpr unsigned noWork = 0;
/// A place of a queue that nobody takes.
constexpr unsigned nobody = 0xffffffffu;
/// Queues that threads are put into by a branch; further kinds share them.
constexpr unsigned queueCount = 256;

namespace regrouping {
template <class Number> __device__ unsigned keyFrom(Number value, std::true_type) {
  const float rounded = static_cast<float>(value); // the bits of floats above 0 are in their order
  return rounded > 0.0f ? __float_as_uint(rounded) + 1 : 1;
}
template <class Number> __device__ unsigned keyFrom(Number value, std::false_type) {
  if (!(value > 0))
    return 1;
  const unsigned long long wide = static_cast<unsigned long long>(value);
  return wide < 0xfffffffeull ? static_cast<unsigned>(wide) + 1 : 0xffffffffu;
}
} // namespace regrouping

/// Any number as a key. What is below 0 counts as 0.
template <class Number> __device__ unsigned keyOf(Number value) {
  return regrouping::keyFrom(value, std::is_floating_point<Number>());
}
/// The queue of a branch.
template <class Kind> __device__ unsigned queueOf(Kind kind) {
  return 1 + static_cast<unsigned>(kind) % queueCount;
}

/// Numbers of parameters that are arrays with an element for each thread.
template <unsigned... Numbers> struct Layout {};

namespace regrouping {
template <unsigned Number> constexpr bool holds(Layout<>) { return false; }
template <unsigned Number, unsigned First, unsigned... Others>
constexpr bool holds(Layout<First, Others...>) {
  return Number == First || holds<Number>(Layout<Others...>());
}
} // namespace regrouping

/// How a kernel is regrouped; what derives from it says what is different, and has a `key`. X, Y, Z: its
/// block, where one is known.
template <unsigned X = 0, unsigned Y = 1, unsigned Z = 1> struct Ways {
  static constexpr unsigned blockX = X, blockY = Y, blockZ = Z;
  static constexpr const char *name = "kernel";
  static constexpr bool mayRepeat = false; ///< a launch that is made twice leaves what it leaves once
  static constexpr bool hasQueues =
      false; ///< keys are those of `queueOf`, and no warp is to serve two of them
  using LaidOut =
      Layout<>; ///< arrays that are copied in the order of places before a launch, and back after it
  using Overwritten = Layout<>; ///< those of them that need no copy before: every thread writes its element
};

// On the device
// ---------------------------------------------------------------------------------------------------------

/// Whose work a thread does.
struct Item {
  uint3 threadIdx, blockIdx;
  unsigned slot; ///< where arrays that were laid out anew have its element
  bool isThere;  ///< in a queue a place may be empty
};

namespace regrouping {
__device__ inline unsigned numberOfThread() {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return block * (blockDim.x * blockDim.y * blockDim.z) + thread;
}
} // namespace regrouping

/// What a regrouped kernel gets in front of its own parameters.
template <class Way> struct Regrouped {
  const unsigned *order; ///< by place, the number of a thread; null: everybody stays who it is
  unsigned places;
  bool isLaidOut;
  dim3 grid; ///< of the original

  __device__ Item item() const {
    if (!order)
      return {threadIdx, blockIdx, blockIdx.x * blockDim.x + threadIdx.x, true};
    const unsigned place = regrouping::numberOfThread();
    const unsigned number = place < places ? order[place] : nobody;
    if (number == nobody)
      return {threadIdx, blockIdx, 0, false};
    return thread(number, place);
  }

private:
  /// By constants where the block is known: then there is nothing to divide.
  __device__ Item thread(unsigned number, unsigned place) const {
    const unsigned x = Way::blockX ? Way::blockX : blockDim.x, y = Way::blockX ? Way::blockY : blockDim.y,
                   z = Way::blockX ? Way::blockZ : blockDim.z;
    const unsigned block = number / (x * y * z), inBlock = number % (x * y * z);
    Item item;
    item.threadIdx = make_uint3(inBlock % x, inBlock / x % y, inBlock / (x * y));
    item.blockIdx = make_uint3(block, 0, 0);
    if (grid.y != 1 || grid.z != 1)
      item.blockIdx = make_uint3(block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y);
    item.slot = isLaidOut ? place : item.blockIdx.x * x + item.threadIdx.x;
    item.isThere = true;
    return item;
  }
};

/// What a kernel that counts its own work gets in front of its parameters, and what it counts with.
struct Counted {
  unsigned *keys;
};
class Counter {
public:
  __device__ explicit Counter(Counted where) : counted(where) {}
  __device__ Counter(const Counter &) = delete;
  __device__ ~Counter() { counted.keys[regrouping::numberOfThread()] = steps; }
  /// Also for functions of both sides, of which the host never calls one that counts.
  __host__ __device__ void step() { ++steps; }

private:
  Counted counted;
  unsigned steps = 1;
};

// Kernels of our own
// ---------------------------------------------------------------------------------------------------------

namespace regrouping {

template <class Way, class... Parameters> __global__ void findKeys(unsigned *keys, Parameters... arguments) {
  keys[numberOfThread()] = Way::key(arguments...);
}
template <class Way, class... Parameters>
__global__ void compareKeys(unsigned *changed, const unsigned *keys, Parameters... arguments) {
  if (keys[numberOfThread()] != Way::key(arguments...))
    atomicExch(changed, 1u);
}

static __global__ void copyKeys(sorting::Pairs to, const unsigned *keys, unsigned count) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count)
    return;
  to.keys[at] = keys[at];
  to.items[at] = at;
}

/// Sorted by queue, in pairs; each queue is to begin with a warp. One block, a thread for each queue.
static __global__ void findQueues(unsigned *shifts, const unsigned *keys, unsigned count) {
  __shared__ unsigned begins[queueCount + 1], lengths[queueCount];
  const unsigned queue = queueCount - threadIdx.x; // the largest key comes first
  unsigned low = 0, high = count;
  while (low < high) { // the first that has a smaller key
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

/// Elements of threads that the kernel lets go at once may not exist.
template <class Element>
__global__ void gather(Element *to, const Element *from, const unsigned *order, const unsigned *keys,
                       unsigned places) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < places && order[at] != nobody && keys[order[at]] != noWork)
    to[at] = from[order[at]];
}
template <class Element>
__global__ void scatter(Element *to, const Element *from, const unsigned *order, const unsigned *keys,
                        unsigned places) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < places && order[at] != nobody && keys[order[at]] != noWork)
    to[order[at]] = from[at];
}

// On the host: what is kept between launches
// ---------------------------------------------------------------------------------------------------------

/// Device memory that only grows.
class Memory {
public:
  Memory() = default;
  Memory(const Memory &) = delete;
  ~Memory() { cudaFree(bytes); }
  template <class T> T *room(std::size_t count) {
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
  std::size_t scratchBytes = 0; ///< asking CUB for it takes longer than a small sort
  Answer changed;
  const unsigned *places = nullptr; ///< null: not made yet
  unsigned placeCount = 0;
  unsigned long long launches = 0, nextLook = 1, distance = 1;
  unsigned changesInARow = 0;
};

enum class Mode { Measure, On, Off };

/// What is known of a kernel in one shape of launch.
struct Site {
  Mode mode = Mode::Measure;
  bool sortingPays = true;                         ///< also when it is done for each launch
  unsigned tried = 0;                              ///< launches that were measured
  float original = 0, regrouped = 0, ordering = 0; ///< milliseconds
  std::vector<std::unique_ptr<Order>> orders;      ///< the last used one first
};

constexpr unsigned mostOrders = 4;              ///< of a site: double buffering needs two
constexpr unsigned long long mostDistance = 16; ///< launches between two looks at the keys
constexpr unsigned long long countAgain = 64;   ///< launches after which work is counted again
constexpr unsigned mostThreads = 0x7ffffff0u;
constexpr float worthIt = 0.97f; ///< share of the original's time: less gain is not worth the trouble

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

/// Section VI-B of the paper: what gains little or nothing is turned off.
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

inline unsigned blocksOf(unsigned count) { return (count + 255) / 256; }

/// Keys go to the host and the order comes back, which waits for both.
inline void sortOnHost(sorting::Pairs pairs, unsigned count, cudaStream_t stream) {
  unsigned *staged = nullptr;
  if (cudaHostAlloc(reinterpret_cast<void **>(&staged), 2ull * count * sizeof(unsigned),
                    cudaHostAllocMapped) != cudaSuccess)
    return;
  copyKeys<<<blocksOf(count), 256, 0, stream>>>({staged, staged + count}, pairs.keys, count);
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

/// From keys to an order. False where memory is short.
template <class Way> bool sortKeys(Order &order, unsigned count) {
  const unsigned bits = Way::hasQueues ? 9 : sorting::allBits;
  if (order.scratchBytes == 0)
    order.scratchBytes = sorting::scratchBytes(count, bits);
  const std::size_t bytes = order.scratchBytes;
  const unsigned *keys = order.keys.room<unsigned>(count);
  unsigned *both = order.pairs.room<unsigned>(4ull * count);
  void *scratch = order.scratch.room<char>(bytes);
  if (!keys || !both || !scratch)
    return false;
  sorting::Pairs pairs{both, both + count};
  const sorting::Pairs room{both + 2ull * count, both + 3ull * count};
  copyKeys<<<blocksOf(count), 256, 0, order.stream>>>(pairs, keys, count);
  if (sortsOnHost())
    sortOnHost(pairs, count, order.stream);
  else
    pairs = sorting::sortLargestFirst(pairs, room, count, bits, scratch, bytes, order.stream);
  order.places = pairs.items;
  order.placeCount = count;
  if (!Way::hasQueues)
    return true;
  const unsigned most = count + 32 * queueCount;
  unsigned *places = order.queues.room<unsigned>(most + queueCount + 1ull);
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

// A launch
// ---------------------------------------------------------------------------------------------------------

template <class Way, class... Parameters> class Launch {
public:
  using Kernel = void (*)(Regrouped<Way>, Parameters...);
  using CountedKernel = void (*)(Counted, Parameters...);

  Launch(Kernel kernel, CountedKernel countedKernel, dim3 launchGrid, dim3 launchBlock, std::size_t bytes,
         cudaStream_t inStream)
      : function(kernel), counted(countedKernel), grid(launchGrid), block(launchBlock), sharedBytes(bytes),
        stream(inStream) {}

  void operator()(Parameters... arguments) {
    values = std::unique_ptr<std::tuple<Parameters...>>(new std::tuple<Parameters...>(arguments...));
    static std::mutex access;
    const std::lock_guard<std::mutex> guard(access);
    const Mode wanted = wantedMode();
    const unsigned long long all = 1ull * grid.x * grid.y * grid.z * block.x * block.y * block.z;
    const bool isOtherBlock =
        Way::blockX && (block.x != Way::blockX || block.y != Way::blockY || block.z != Way::blockZ);
    if (wanted == Mode::Off || all == 0 || all > mostThreads || isOtherBlock)
      return launchAsIs();
    threads = static_cast<unsigned>(all);
    Site &site = findSite();
    if (isCapturing(stream))
      return launchCaptured(site);
    if (wanted == Mode::On)
      site.mode = Mode::On;
    if (site.mode == Mode::Off)
      return launchAsIs();
    Order &order = findOrder(site);
    if (!order.changed)
      return launchAsIs();
    if (site.mode == Mode::Measure)
      return Way::mayRepeat && !isOneArrayGivenTwice(Numbers()) ? measure(site, order)
                                                                : measureNext(site, order);
    launchInOrder(site, order);
  }

private:
  using Numbers = std::index_sequence_for<Parameters...>;

  Site &findSite() const {
    static std::map<std::tuple<const void *, int, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>,
                    Site>
        sites;
    int device = 0;
    cudaGetDevice(&device);
    return sites[std::make_tuple(reinterpret_cast<const void *>(function), device, grid.x, grid.y, grid.z,
                                 block.x, block.y, block.z)];
  }

  // Arguments
  // -----------------------------------------------------------------------------------------------------

  template <std::size_t... I> std::vector<unsigned char> bitsOf(std::index_sequence<I...>) const {
    std::vector<unsigned char> bits;
    const int order[] = {0, (add(bits, std::get<I>(*values)), 0)...};
    (void)order;
    return bits;
  }
  template <class T> static void add(std::vector<unsigned char> &bits, const T &value) {
    const unsigned char *first = reinterpret_cast<const unsigned char *>(&value);
    bits.insert(bits.end(), first, first + sizeof value);
  }

  Order *knownOrder(Site &site, const std::vector<unsigned char> &bits) const {
    for (std::size_t i = 0; i < site.orders.size(); ++i)
      if (site.orders[i]->stream == stream && site.orders[i]->arguments == bits) {
        std::rotate(site.orders.begin(), site.orders.begin() + i, site.orders.begin() + i + 1);
        return site.orders.front().get();
      }
    return nullptr;
  }
  Order &findOrder(Site &site) const {
    std::vector<unsigned char> bits = bitsOf(Numbers());
    if (Order *known = knownOrder(site, bits))
      return *known;
    if (site.orders.size() == mostOrders)
      site.orders.pop_back(); // cudaFree waits for launches that still use it
    site.orders.insert(site.orders.begin(), std::unique_ptr<Order>(new Order));
    site.orders.front()->arguments = std::move(bits);
    site.orders.front()->stream = stream;
    return *site.orders.front();
  }

  // Ways to launch
  // -----------------------------------------------------------------------------------------------------

  template <std::size_t... I>
  void launch(const void *kernel, dim3 blocks, void *first, std::tuple<Parameters...> &arguments,
              std::index_sequence<I...>) const {
    void *addresses[] = {first,
                         const_cast<void *>(static_cast<const volatile void *>(&std::get<I>(arguments)))...};
    cudaLaunchKernel(kernel, blocks, block, addresses, sharedBytes, stream);
  }

  void launchAsIs() {
    Regrouped<Way> stays{nullptr, 0, false, grid};
    launch(reinterpret_cast<const void *>(function), grid, &stays, *values, Numbers());
  }

  void launchCaptured(Site &site) {
    Order *known = site.mode == Mode::On ? knownOrder(site, bitsOf(Numbers())) : nullptr;
    if (known && known->places)
      launchBy(*known);
    else
      launchAsIs();
  }

  void launchBy(Order &order) {
    std::tuple<Parameters...> arguments = *values;
    Regrouped<Way> told{order.places, order.placeCount, layOut(order, arguments, typename Way::LaidOut()),
                        grid};
    const unsigned inBlock = block.x * block.y * block.z;
    const dim3 blocks = Way::hasQueues ? dim3((order.placeCount + inBlock - 1) / inBlock) : grid;
    launch(reinterpret_cast<const void *>(function), blocks, &told, arguments, Numbers());
    if (told.isLaidOut)
      putBack(order, typename Way::LaidOut());
  }

  /// Finds keys and sorts them. True where the launch was made in doing so: counting needs it.
  bool makeOrder(Order &order) {
    unsigned *keys = order.keys.room<unsigned>(threads);
    order.places = nullptr;
    if (!keys)
      return false;
    const bool isLaunched = counted != nullptr;
    findKeysInto(keys, std::integral_constant<bool, sizeof(hasKey<Way>(nullptr)) == sizeof(char)>(),
                 Numbers());
    if (!sortKeys<Way>(order, threads))
      order.places = nullptr;
    return isLaunched;
  }
  template <class Other> static char hasKey(decltype(&Other::key));
  template <class Other> static long hasKey(...);

  template <std::size_t... I>
  void findKeysInto(unsigned *keys, std::true_type, std::index_sequence<I...>) const {
    findKeys<Way, Parameters...><<<grid, block, 0, stream>>>(keys, std::get<I>(*values)...);
  }
  template <std::size_t... I>
  void findKeysInto(unsigned *keys, std::false_type, std::index_sequence<I...> numbers) const {
    Counted where{keys};
    launch(reinterpret_cast<const void *>(counted), grid, &where, *values, numbers);
  }

  /// Looks whether keys are still what they were; the answer comes later.
  template <std::size_t... I> void look(Order &order, std::true_type, std::index_sequence<I...>) const {
    compareKeys<Way, Parameters...><<<grid, block, 0, stream>>>(
        order.changed.ask(), order.keys.room<unsigned>(threads), std::get<I>(*values)...);
    order.changed.asked(stream);
  }
  template <std::size_t... I> void look(Order &, std::false_type, std::index_sequence<I...>) const {}

  void launchInOrder(Site &site, Order &order) {
    ++order.launches;
    if (order.changed.isThere()) {
      const bool hasChanged = order.changed.take();
      order.changesInARow = hasChanged ? order.changesInARow + 1 : 0;
      order.distance = hasChanged ? 1 : std::min(2 * order.distance, mostDistance);
      order.nextLook = order.launches + order.distance;
      if (hasChanged)
        order.places = nullptr;
    }
    const bool alwaysChanges = order.changesInARow >= 3;
    if (alwaysChanges && !site.sortingPays) {
      site.mode = Mode::Off;
      return launchAsIs();
    }
    const bool isOld = counted && order.launches % countAgain == 0;
    if ((!order.places || alwaysChanges || isOld) && makeOrder(order))
      return;
    if (!order.places)
      return launchAsIs();
    if (!order.changed.isPending() && order.launches >= order.nextLook)
      look(order, std::integral_constant<bool, sizeof(hasKey<Way>(nullptr)) == sizeof(char)>(), Numbers());
    launchBy(order);
  }

  // Measuring
  // -----------------------------------------------------------------------------------------------------

  /// Both orders, now: the kernel may run again.
  void measure(Site &site, Order &order) {
    launchAsIs(); // the first one is always slow
    makeOrder(order);
    if (!order.places) {
      site.mode = Mode::Off;
      return;
    }
    launchBy(order);
    std::vector<float> original, ordering, regrouped;
    for (unsigned round = wantedRounds(); round > 0; --round) {
      original.push_back(timeOf(stream, [&] { launchAsIs(); }));
      ordering.push_back(timeOf(stream, [&] { makeOrder(order); }));
      regrouped.push_back(timeOf(stream, [&] { launchBy(order); }));
    }
    site.original = medianOf(original);
    site.ordering = medianOf(ordering);
    site.regrouped = medianOf(regrouped);
    decide(site, Way::name, threads);
  }

  /// One thing at each launch: as it is without and with a clock, with keys sorted, in order, once more.
  void measureNext(Site &site, Order &order) {
    switch (site.tried++) {
    case 0: return launchAsIs();
    case 1: site.original = timeOf(stream, [&] { launchAsIs(); }); return;
    case 2:
      if (!makeOrder(order))
        order.places ? launchBy(order) : launchAsIs();
      return;
    default: break;
    }
    bool isLaunched = false;
    if (site.ordering == 0) {
      site.ordering = timeOf(stream, [&] { isLaunched = makeOrder(order); });
      if (isLaunched)
        return;
    }
    if (!order.places && makeOrder(order))
      return;
    if (!order.places) {
      site.mode = Mode::Off;
      return launchAsIs();
    }
    site.regrouped = timeOf(stream, [&] { launchBy(order); });
    decide(site, Way::name, threads);
  }

  // Layout
  // -----------------------------------------------------------------------------------------------------

  template <class T> static void addPointer(std::vector<const volatile void *> &all, T *pointer) {
    all.push_back(pointer);
  }
  template <class T> static void addPointer(std::vector<const volatile void *> &, const T &) {}
  template <std::size_t... I> bool isOneArrayGivenTwice(std::index_sequence<I...>) const {
    std::vector<const volatile void *> all;
    const int order[] = {0, (addPointer(all, std::get<I>(*values)), 0)...};
    (void)order;
    std::sort(all.begin(), all.end());
    return std::adjacent_find(all.begin(), all.end()) != all.end();
  }

  bool layOut(Order &, std::tuple<Parameters...> &, Layout<>) { return false; }
  /// Copies of arrays in the order of places stand in for them. An array that is given twice stays: what is
  /// written to one copy would be missing in the other.
  template <unsigned... I> bool layOut(Order &order, std::tuple<Parameters...> &arguments, Layout<I...>) {
    static_assert(sizeof...(I) <= sizeof(order.arrays) / sizeof(order.arrays[0]), "too many arrays");
    if (grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1 || isOneArrayGivenTwice(Numbers()))
      return false;
    unsigned number = 0;
    void *rooms[] = {roomFor(order, number++, std::get<I>(arguments))...};
    for (void *room : rooms)
      if (!room)
        return false;
    number = 0;
    const int all[] = {
        (takeCopy<holds<I>(typename Way::Overwritten())>(order, rooms[number++], std::get<I>(arguments)),
         0)...};
    (void)all;
    return true;
  }
  template <class T> void *roomFor(Order &order, unsigned number, T *) {
    return order.arrays[number].template room<typename std::remove_const<T>::type>(order.placeCount);
  }
  template <bool IsOverwritten, class T> void takeCopy(Order &order, void *room, T *&array) {
    using Element = typename std::remove_const<T>::type;
    Element *copy = static_cast<Element *>(room);
    if (!IsOverwritten)
      gather<Element><<<blocksOf(order.placeCount), 256, 0, stream>>>(
          copy, array, order.places, order.keys.room<unsigned>(threads), order.placeCount);
    array = copy;
  }

  void putBack(Order &, Layout<>) {}
  template <unsigned... I> void putBack(Order &order, Layout<I...>) {
    unsigned number = 0;
    const int all[] = {(scatterBack(order, number++, std::get<I>(*values)), 0)...};
    (void)all;
  }
  template <class T> void scatterBack(Order &, unsigned, const T *) {} // nothing was written
  template <class T> void scatterBack(Order &order, unsigned number, T *array) {
    scatter<T><<<blocksOf(order.placeCount), 256, 0, stream>>>(
        array, order.arrays[number].template room<T>(order.placeCount), order.places,
        order.keys.room<unsigned>(threads), order.placeCount);
  }

  Kernel function;
  CountedKernel counted; ///< null where keys are known without
  dim3 grid, block;
  std::size_t sharedBytes;
  cudaStream_t stream;
  unsigned threads = 0;
  std::unique_ptr<std::tuple<Parameters...>> values;
};

} // namespace regrouping

/// Instead of `kernel<<<grid, block, sharedBytes, stream>>>`; the arguments follow in parentheses.
template <class Way, class... Parameters>
regrouping::Launch<Way, Parameters...> regroup(void (*kernel)(Regrouped<Way>, Parameters...), dim3 grid,
                                               dim3 block, std::size_t sharedBytes = 0,
                                               cudaStream_t stream = nullptr) {
  return {kernel, nullptr, grid, block, sharedBytes, stream};
}

/// The same with a kernel that does the same work and counts it: there are no keys before.
template <class Way, class... Parameters>
regrouping::Launch<Way, Parameters...> regroup(void (*kernel)(Regrouped<Way>, Parameters...),
                                               void (*counted)(Counted, Parameters...), dim3 grid, dim3 block,
                                               std::size_t sharedBytes = 0, cudaStream_t stream = nullptr) {
  return {kernel, counted, grid, block, sharedBytes, stream};
}

} // namespace heddle
