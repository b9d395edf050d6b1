// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that execute one kind of work at a time. The threads of a block determine their kind of work; the block sorts
// them by kind, and each warp takes 32 threads of one kind at a time. A warp that executed the cases of a branch one
// after the other before, each with a part of its lanes, then executes one case with all of them.
//
//   __global__ void step(float *out, const int *kinds, int count) {
//     const auto kindOf = [&](const uint3 threadIdx) -> int {        // the kind of a thread's work
//       const int i = blockIdx.x * blockDim.x + threadIdx.x;
//       if (i >= count)
//         return heddle::noKind;
//       switch (kinds[i]) {
//       case 0: return 0;
//       default: return 1;
//       }
//     };
//     const auto work = [&](const uint3 threadIdx) { ... };          // the work itself
//     __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 256> queues;
//     heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
//   }
//
// All threads of the block must call workByKind together, as a barrier, also those without work; it may be called
// repeatedly. What a call of `work` stores is visible to all later calls of it, as after a barrier.
//
// Sorting takes a ballot for each kind, three barriers, and 4 bytes of shared memory for each thread and for
// each kind of each warp. The order is always the same: by kind, within a kind by thread number.
#ifndef HEDDLE_KINDS_CUH
#define HEDDLE_KINDS_CUH

namespace heddle {

/// The kind of a thread without work.
constexpr int noKind = -1;

/// A thread of the block, named by its index: 10 bits each for x and y, 6 for z.
struct ThreadItem {
  unsigned packed; // no constructor: arrays of these are in shared memory

  __device__ static ThreadItem own() { return {threadIdx.x | threadIdx.y << 10 | threadIdx.z << 20}; }
  __device__ operator uint3() const { return make_uint3(packed & 1023u, packed >> 10 & 1023u, packed >> 20); }
};

/// The block's items, kind after kind, in shared memory; for blocks of at most `Threads`.
template <class ItemType, unsigned Kinds, unsigned Threads> struct KindQueues {
  static_assert(Kinds > 0 && Threads > 0 && Threads <= 1024, "a block has 1 to 1024 threads");
  using Item = ItemType;
  static constexpr unsigned kinds = Kinds, warps = (Threads + 31) / 32;

  unsigned before[Kinds][warps]; ///< items of this kind in this warp; then in all warps before it
  unsigned totals[Kinds];
  Item items[Threads];
};

namespace detail {

/// The position of a thread in its block, for blocks of any shape.
struct PlaceInBlock {
  unsigned warp, lane, warps, lanes; ///< lanes: of this warp; the last warp may have fewer

  __device__ static PlaceInBlock own() {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned warp = number / 32, left = threads - warp * 32;
    return {warp, number % 32, (threads + 31) / 32, left < 32 ? left : 32};
  }
  __device__ unsigned number() const { return warp * 32 + lane; }
  __device__ unsigned mask() const { return ~0u >> (32 - lanes); }
};

/// Counts the warp's items of each kind; returns how many of this thread's kind are in lanes before its own.
template <class Queues>
__device__ __forceinline__ unsigned countKinds(Queues &queues, const PlaceInBlock &own, int kind) {
  unsigned rank = 0;
#pragma unroll
  for (unsigned k = 0; k < Queues::kinds; ++k) {
    const unsigned same = __ballot_sync(own.mask(), kind == int(k));
    if (kind == int(k))
      rank = __popc(same & ((1u << own.lane) - 1));
    if (own.lane == 0)
      queues.before[k][own.warp] = __popc(same);
  }
  return rank;
}

/// Converts each warp's count to the count of all warps before it. One thread per kind.
template <class Queues> __device__ __forceinline__ void sumUp(Queues &queues, const PlaceInBlock &own) {
  for (unsigned k = own.number(); k < Queues::kinds; k += blockDim.x * blockDim.y * blockDim.z) {
    unsigned sum = 0;
    for (unsigned warp = 0; warp < own.warps; ++warp) {
      const unsigned here = queues.before[k][warp];
      queues.before[k][warp] = sum;
      sum += here;
    }
    queues.totals[k] = sum;
  }
}

} // namespace detail

/// Passes `item`, which is work of that kind, to the warp that executes it, and executes this thread's portion of
/// `work(item)` for all items of the block.
///
/// No barrier is needed at the end: the next call writes each array only after a barrier that every thread reaches
/// after its last read of that array.
template <class Queues, class Work>
__device__ __forceinline__ void workByKind(Queues &queues, typename Queues::Item item, int kind,
                                           const Work &work) {
  const detail::PlaceInBlock own = detail::PlaceInBlock::own();
  const unsigned rank = detail::countKinds(queues, own, kind);
  __syncthreads();
  detail::sumUp(queues, own);
  __syncthreads();
  if (kind >= 0) {
    unsigned first = 0;
    for (int k = 0; k < kind; ++k)
      first += queues.totals[k];
    queues.items[first + queues.before[kind][own.warp] + rank] = item;
  }
  __syncthreads();

  // Batches of 32 are distributed over the warps. A warp with fewer than 32 lanes processes its batch in several
  // steps.
  unsigned first = 0, batch = own.warp;
  for (unsigned k = 0; k < Queues::kinds; ++k) {
    const unsigned total = queues.totals[k], batches = (total + 31) / 32;
    for (; batch < batches; batch += own.warps)
      for (unsigned i = own.lane; i < 32 && batch * 32 + i < total; i += own.lanes)
        work(queues.items[first + batch * 32 + i]);
    first += total;
    batch -= batches;
  }
}

} // namespace heddle

#endif // HEDDLE_KINDS_CUH
