// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and functions for regrouped kernels and their keys; see heddle/regroup.cuh.
#ifndef HEDDLE_REGROUPING_WAYS_CUH
#define HEDDLE_REGROUPING_WAYS_CUH

#include <type_traits>

namespace heddle {

// Keys
// ---------------------------------------------------------------------------------------------------------

/// The key of threads that the kernel excludes by a guard: after all others.
constexpr unsigned noWork = 0;
/// An empty position of a queue.
constexpr unsigned noThread = 0xffffffffu;
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

/// Any number as a key. A value below 0 counts as 0.
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

/// How a kernel is regrouped; derived structs override these values and define `key`. X, Y, Z: its block, if it is
/// known.
template <unsigned X = 0, unsigned Y = 1, unsigned Z = 1> struct Ways {
  static constexpr unsigned blockX = X, blockY = Y, blockZ = Z;
  static constexpr const char *name = "kernel";
  static constexpr bool mayRepeat = false; ///< a launch that is executed twice has the same result
  static constexpr bool hasQueues =
      false; ///< keys are those of `queueOf`, and no warp executes threads of two queues
  using LaidOut =
      Layout<>; ///< arrays that are copied to the order of threads before a launch, and back after it
  using Overwritten = Layout<>; ///< those of them that need no copy before: every thread writes its element
};

// On the device
// ---------------------------------------------------------------------------------------------------------

/// The original thread whose work a thread does.
struct Item {
  uint3 threadIdx, blockIdx;
  unsigned slot; ///< index of its element in reordered arrays
  bool isThere;  ///< positions of a queue may be empty
};

namespace regrouping {
__device__ inline unsigned numberOfThread() {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return block * (blockDim.x * blockDim.y * blockDim.z) + thread;
}
} // namespace regrouping

/// The first parameter of a regrouped kernel, before its own.
template <class Way> struct Regrouped {
  const unsigned *order; ///< by position, the number of a thread; null: the original order
  unsigned places;
  bool isLaidOut;
  dim3 grid; ///< of the original

  __device__ Item item() const {
    if (!order)
      return {threadIdx, blockIdx, blockIdx.x * blockDim.x + threadIdx.x, true};
    const unsigned place = regrouping::numberOfThread();
    const unsigned number = place < places ? order[place] : noThread;
    if (number == noThread)
      return {threadIdx, blockIdx, 0, false};
    return thread(number, place);
  }

private:
  /// Uses constants if the block is known, so that no division is needed.
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

/// The first parameter of a kernel that counts its own work, and the functions for counting.
struct Counted {
  unsigned *keys;
};
class Counter {
public:
  __device__ explicit Counter(Counted where) : counted(where) {}
  __device__ Counter(const Counter &) = delete;
  __device__ ~Counter() { counted.keys[regrouping::numberOfThread()] = steps; }
  /// Also compiled for the host in __host__ __device__ functions, where it is never called.
  __host__ __device__ void step() { ++steps; }

private:
  Counted counted;
  unsigned steps = 1;
};

} // namespace heddle

#endif // HEDDLE_REGROUPING_WAYS_CUH
