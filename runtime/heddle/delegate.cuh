// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A persistent kernel: the launch has just enough blocks to fill the GPU, and each warp does the work of one original
// block after the other (its tasks).
//
//     __device__ void scaleTask(const heddle::Task &task, float *a) {      what a block of the original does
//       const uint3 blockIdx = task.blockIdx;
//       ...
//     }
//     __global__ void scale(heddle::Tasks<4> tasks, float *a) {
//       for (const heddle::Task task : tasks) {
//         scaleTask(task, a);
//         __syncwarp();
//       }
//     }
//     heddle::delegate(scale, grid, 32, 0, stream)(a);                     instead of scale<<<...>>>(a)
//
// A block of (x, y, z) threads, one warp, becomes one of (x, y, z * warps): warps follow each other along
// z, and threadIdx.x and .y do not change.
#ifndef HEDDLE_DELEGATE_CUH
#define HEDDLE_DELEGATE_CUH

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>

namespace heddle {

constexpr unsigned laneCount = 32;

/// One block of the original.
struct Task {
  uint3 blockIdx;
  dim3 gridDim;
  unsigned sharedBytes; ///< dynamic ones
};

/// How tasks are distributed: every n-th task (Static), or the next one that has not been taken (Dynamic).
enum class Order { Static, Dynamic };

// On the device
// ---------------------------------------------------------------------------------------------------------

/// The warp's number in its block, for warps of Depth lanes along z.
template <unsigned Depth = 1> __device__ inline unsigned warpOfBlock() { return threadIdx.z / Depth; }

/// The thread's index in the original's block.
template <unsigned Depth = 1> __device__ inline uint3 threadOfTask() {
  return make_uint3(threadIdx.x, threadIdx.y, threadIdx.z % Depth);
}

/// The original's block.
template <unsigned Depth = 1> __device__ inline dim3 blockOfTask() {
  return dim3(blockDim.x, blockDim.y, Depth);
}

/// The beginning of the warp's part of the block's dynamic shared memory.
template <unsigned Depth = 1, class Element>
__device__ inline Element *ownPart(Element *shared, unsigned bytesOfWarp) {
  return reinterpret_cast<Element *>(reinterpret_cast<char *>(shared) + warpOfBlock<Depth>() * bytesOfWarp);
}

/// The tasks of a launch, as the kernel receives them. WarpsInBlock and Throttle (warps per multiprocessor; 0: as
/// many as fit) are limits that `delegate` respects.
template <unsigned WarpsInBlock, Order InOrder = Order::Static, unsigned Throttle = 0, unsigned Depth = 1>
struct Tasks {
  dim3 grid;            ///< of the original
  unsigned sharedBytes; ///< dynamic ones of a warp
  unsigned long long count;
  unsigned long long *taken; ///< Dynamic: how many tasks were taken, besides the first one of each warp

  /// Iterator over the tasks of a warp. It is the same in all lanes.
  class TaskIterator {
  public:
    __device__ TaskIterator(const Tasks &all, unsigned long long first) : tasks(all), number(first) {}
    __device__ bool operator!=(const TaskIterator &end) const { return number < end.number; }
    __device__ Task operator*() const { return {tasks.placeOf(number), tasks.grid, tasks.sharedBytes}; }
    __device__ TaskIterator &operator++() {
      number = InOrder == Order::Static ? number + tasks.warps() : tasks.warps() + tasks.ticket();
      return *this;
    }

  private:
    const Tasks &tasks;
    unsigned long long number;
  };

  __device__ TaskIterator begin() const {
    const unsigned inBlock = blockDim.z / Depth;
    return TaskIterator(*this, static_cast<unsigned long long>(blockIdx.x) * inBlock + warpOfBlock<Depth>());
  }
  __device__ TaskIterator end() const { return TaskIterator(*this, count); }

private:
  __device__ unsigned long long warps() const {
    return static_cast<unsigned long long>(gridDim.x) * (blockDim.z / Depth);
  }

  /// Takes one task for the whole warp.
  __device__ unsigned long long ticket() const {
    unsigned long long mine = 0;
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z % Depth == 0)
      mine = atomicAdd(taken, 1ull);
    return __shfl_sync(0xffffffffu, mine, 0);
  }

  /// 64-bit divisions cost many times as much as 32-bit ones, and a one-dimensional grid needs none.
  __device__ uint3 placeOf(unsigned long long number) const {
    if (grid.y == 1 && grid.z == 1)
      return make_uint3(static_cast<unsigned>(number), 0, 0);
    if (count <= 0xffffffffull) {
      const unsigned row = static_cast<unsigned>(number) / grid.x;
      return make_uint3(static_cast<unsigned>(number) % grid.x, row % grid.y, row / grid.y);
    }
    const unsigned long long row = number / grid.x;
    return make_uint3(static_cast<unsigned>(number % grid.x), static_cast<unsigned>(row % grid.y),
                      static_cast<unsigned>(row / grid.y));
  }
};

// On the host
// ---------------------------------------------------------------------------------------------------------

/// How a kernel fills a multiprocessor.
struct Residency {
  unsigned warps = 1;  ///< of a block
  unsigned blocks = 1; ///< of a multiprocessor
};

/// The number of warps per block, at most `mostWarps`, with which most warps are resident; the larger number if
/// two are equal, since a multiprocessor has half as many block slots as warp slots. At most `throttle` warps per
/// multiprocessor, if that is not 0.
inline Residency findResidency(const void *kernel, unsigned mostWarps, unsigned throttle,
                               std::size_t sharedBytes) {
  cudaFuncAttributes attributes;
  Residency best;
  unsigned most = 0;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess)
    return best; // the launch reports the error
  for (unsigned warps = mostWarps; warps > 0; --warps) {
    int fitting = 0;
    if (warps * sharedBytes > static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes) ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, kernel, static_cast<int>(warps * laneCount),
                                                      warps * sharedBytes) != cudaSuccess)
      continue;
    unsigned blocks = static_cast<unsigned>(fitting);
    if (throttle != 0)
      blocks = std::min(blocks, throttle / warps);
    if (blocks * warps > most) {
      most = blocks * warps;
      best = {warps, blocks};
    }
  }
  return best;
}

/// The same, computed once for each kernel, device and amount of shared memory.
inline Residency residencyOf(const void *kernel, unsigned mostWarps, unsigned throttle,
                             std::size_t sharedBytes, int device) {
  static std::mutex access;
  static std::map<std::tuple<const void *, std::size_t, int>, Residency> known;
  const std::lock_guard<std::mutex> guard(access);
  const auto key = std::make_tuple(kernel, sharedBytes, device);
  const auto found = known.find(key);
  if (found != known.end())
    return found->second;
  return known[key] = findResidency(kernel, mostWarps, throttle, sharedBytes);
}

/// Blocks and warps for that many tasks: a few tasks are distributed over all multiprocessors.
inline Residency spread(Residency residency, unsigned long long tasks, unsigned multiprocessors) {
  const unsigned long long fair = std::max(tasks / multiprocessors, 1ull);
  const unsigned warps = static_cast<unsigned>(std::min<unsigned long long>(residency.warps, fair));
  const unsigned long long needed = (tasks + warps - 1) / warps;
  const unsigned long long fitting =
      static_cast<unsigned long long>(residency.blocks) * (residency.warps / warps) * multiprocessors;
  return {warps, static_cast<unsigned>(std::min(needed, fitting))};
}

/// A launch without its arguments.
template <unsigned WarpsInBlock, Order InOrder, unsigned Throttle, unsigned Depth> class Delegation {
public:
  using Given = Tasks<WarpsInBlock, InOrder, Throttle, Depth>;

  Delegation(const void *kernel, dim3 grid, dim3 block, std::size_t sharedBytes, cudaStream_t stream)
      : function(kernel), inStream(stream) {
    // The parts of the block's shared memory are aligned for any type.
    constexpr std::size_t alignment = 16;
    tasks.grid = grid;
    tasks.sharedBytes = static_cast<unsigned>((sharedBytes + alignment - 1) / alignment * alignment);
    tasks.count = static_cast<unsigned long long>(grid.x) * grid.y * grid.z;
    tasks.taken = nullptr;
    int device = 0, multiprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    shape = spread(residencyOf(kernel, WarpsInBlock, Throttle, tasks.sharedBytes, device), tasks.count,
                   static_cast<unsigned>(multiprocessors));
    threads = dim3(block.x, block.y, block.z * shape.warps);
  }

  /// `arguments` are the addresses of the kernel's arguments, with that of its tasks first.
  cudaError_t launch(void **arguments) {
    takeCounter();
    const cudaError_t result =
        cudaLaunchKernel(function, dim3(shape.blocks), threads, arguments,
                         static_cast<std::size_t>(shape.warps) * tasks.sharedBytes, inStream);
    giveCounterBack();
    return result;
  }

  Given tasks;

private:
  /// A counter for this launch only, allocated in its stream: launches in other streams have their own,
  /// and a graph that captures this launch captures its counter with it.
  void takeCounter() {
    if (InOrder == Order::Static)
      return;
    cudaMallocAsync(reinterpret_cast<void **>(&tasks.taken), sizeof *tasks.taken, inStream);
    cudaMemsetAsync(tasks.taken, 0, sizeof *tasks.taken, inStream);
  }
  void giveCounterBack() {
    if (InOrder == Order::Dynamic)
      cudaFreeAsync(tasks.taken, inStream);
  }

  const void *function;
  cudaStream_t inStream;
  Residency shape;
  dim3 threads;
};

/// What `delegate` returns: the arguments follow in parentheses, and are converted to the types of the kernel's parameters.
template <class Plan, class... Parameters> class Delegated {
public:
  explicit Delegated(const Plan &launch) : plan(launch) {}
  void operator()(Parameters... arguments) {
    void *addresses[] = {&plan.tasks, const_cast<void *>(static_cast<const volatile void *>(&arguments))...};
    plan.launch(addresses);
  }

private:
  Plan plan;
};

static_assert(offsetof(Tasks<1>, count) == 16, "heddle opt's static check looks for the number there");

/// Instead of `kernel<<<grid, block, sharedBytes, stream>>>`; `block` is one warp.
template <unsigned WarpsInBlock, Order InOrder, unsigned Throttle, unsigned Depth, class... Parameters>
Delegated<Delegation<WarpsInBlock, InOrder, Throttle, Depth>, Parameters...>
delegate(void (*kernel)(Tasks<WarpsInBlock, InOrder, Throttle, Depth>, Parameters...), dim3 grid, dim3 block,
         std::size_t sharedBytes = 0, cudaStream_t stream = nullptr) {
  using Plan = Delegation<WarpsInBlock, InOrder, Throttle, Depth>;
  return Delegated<Plan, Parameters...>(
      Plan(reinterpret_cast<const void *>(kernel), grid, block, sharedBytes, stream));
}

/// Instead of cudaLaunchKernel: `arguments` are those of the original.
template <unsigned WarpsInBlock, Order InOrder, unsigned Throttle, unsigned Depth, class... Parameters>
cudaError_t launchDelegated(void (*kernel)(Tasks<WarpsInBlock, InOrder, Throttle, Depth>, Parameters...),
                            dim3 grid, dim3 block, void **arguments, std::size_t sharedBytes = 0,
                            cudaStream_t stream = nullptr) {
  Delegation<WarpsInBlock, InOrder, Throttle, Depth> plan(reinterpret_cast<const void *>(kernel), grid, block,
                                                          sharedBytes, stream);
  void *addresses[1 + sizeof...(Parameters)] = {&plan.tasks};
  for (std::size_t i = 0; i < sizeof...(Parameters); ++i)
    addresses[i + 1] = arguments[i];
  return plan.launch(addresses);
}

} // namespace heddle

#endif // HEDDLE_DELEGATE_CUH
