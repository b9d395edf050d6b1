// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp specialization. Producer warps copy tiles from global to shared memory, consumer warps compute on them, and
// there is a ring of stages between them: while one tile is being computed, the next ones are being copied.
//
//   using Roles = heddle::Roles<256, 1, 2>;         // one consumer group of 256 threads, two producer warps
//   using Pipe = heddle::Pipeline<Roles, 3, heddle::Copy::CpAsync, heddle::Barrier::Mbarrier>;
//
//   __global__ void __launch_bounds__(Roles::threads) sum(float *out, const float *in, int count) {
//     __shared__ float tile[Pipe::stages][256];     // was: float tile[256]
//     __shared__ Pipe::Barriers barriers;
//     Pipe::setUp(barriers);                        // all threads of the block
//
//     if (Roles::isProducer()) {
//       Pipe::Producer producer(barriers);
//       for (int start = 0; start < count; start += 256) {
//         const unsigned stage = producer.acquire();                       // waits until no thread reads it
//         for (unsigned t = Roles::rank(); t < 256; t += Roles::producers) // a thread loads for several
//           heddle::copyAsync(&tile[stage][t], &in[start + t], start + t < count);
//         producer.commit();                                               // full, once all has arrived
//       }
//       producer.finish();
//       return;
//     }
//     Pipe::Consumer consumer(barriers);
//     float total = 0;
//     for (int start = 0; start < count; start += 256) {
//       const unsigned stage = consumer.wait();                            // waits until it is full
//       for (int i = 0; i < 256; ++i)
//         total += tile[stage][i] * Roles::rank();
//       consumer.release();                                                // may be overwritten
//     }
//     out[Roles::rank()] = total;
//   }
//   sum<<<1, Roles::threads>>>(...);
//
// Rules. Both roles execute the same number of iterations, in loops of any nesting: the position in the ring is carried
// from loop to loop, so zero-trip loops and outer loops are correct. After setUp no thread may call
// __syncthreads, because producers would not reach it: consumers have Roles::syncConsumers(), and
// if loads need what consumers have stored to global memory, both roles call meet(). No thread may leave between
// iterations, and the lanes of a warp call acquire, commit, wait and release together.
//
// Why there is no deadlock: consider the events in the order full 0, empty 0, full 1, empty 1 and so on. "Full" of an iteration needs the "empty"
// of `stages` iterations before, "empty" needs the "full" of the same iteration: always an
// earlier event. Each role waits for its events in this order. The earliest event that has not occurred depends only on events that have occurred, so the threads that cause it do
// not wait.
//
// Supported by architecture: Copy::Ld with Barrier::Named from sm_70 on; Copy::CpAsync and
// Barrier::Mbarrier from sm_80 on; Copy::Bulk, which needs mbarriers, from sm_90 on. Anything else is an error
// at compile time.
#ifndef HEDDLE_PIPELINE_CUH
#define HEDDLE_PIPELINE_CUH

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace heddle {

/// How a tile is copied to shared memory.
enum class Copy {
  Ld,      ///< load to a register, store to shared memory
  CpAsync, ///< cp.async: 4, 8 or 16 bytes per thread, bypassing registers
  Bulk,    ///< cp.async.bulk: a row by one thread; plain stores as in Ld for rows that are not aligned
};

/// What signals that a stage is full or empty.
enum class Barrier {
  Named,    ///< the 16 hardware barriers of a block
  Mbarrier, ///< objects in shared memory
};

namespace detail {

#if defined(__CUDA_ARCH__)
inline constexpr int arch = __CUDA_ARCH__;
#else
inline constexpr int arch =
    1 << 30; // compilation for the host: device code is checked in that for the device
#endif

// setmaxnreg is a feature of the architecture-specific targets (sm_90a), not of sm_90.
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_SPECIFIC__) ||                                 \
    defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || !defined(__CUDA_ARCH__)
inline constexpr bool registersMove = true;
#else
inline constexpr bool registersMove = false;
#endif

__device__ __forceinline__ unsigned sharedAddress(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// --- named barriers ---

template <unsigned Name, unsigned Threads> __device__ __forceinline__ void barSync() {
  asm volatile("bar.sync %0, %1;" ::"n"(Name), "n"(Threads) : "memory");
}
template <unsigned Name, unsigned Threads> __device__ __forceinline__ void barArrive() {
  asm volatile("bar.arrive %0, %1;" ::"n"(Name), "n"(Threads) : "memory");
}
/// The barrier of a stage, Name + stage. A number in a register would be simpler, but makes ptxas reserve all
/// 16 for the block.
template <unsigned Name, unsigned Stages, unsigned Threads>
__device__ __forceinline__ void barSyncAt(unsigned stage) {
  if constexpr (Stages > 1)
    if (stage > 0)
      return barSyncAt<Name + 1, Stages - 1, Threads>(stage - 1);
  barSync<Name, Threads>();
}
template <unsigned Name, unsigned Stages, unsigned Threads>
__device__ __forceinline__ void barArriveAt(unsigned stage) {
  if constexpr (Stages > 1)
    if (stage > 0)
      return barArriveAt<Name + 1, Stages - 1, Threads>(stage - 1);
  barArrive<Name, Threads>();
}

// --- mbarriers ---

__device__ __forceinline__ void mbarrierInit(std::uint64_t *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void mbarrierArrive(std::uint64_t *barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(sharedAddress(barrier))
               : "memory");
}
/// Bytes that bulk copies must write before the phase can complete.
__device__ __forceinline__ void mbarrierExpect(std::uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)),
               "r"(bytes)
               : "memory");
}
/// The phase also waits for the copies that this thread has issued.
__device__ __forceinline__ void mbarrierAwaitCopies(std::uint64_t *barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}
/// Waits until the phase of this parity is complete. The phase before the first one (parity 0) counts as one of parity 1.
__device__ __forceinline__ void mbarrierWait(std::uint64_t *barrier, unsigned parity) {
  unsigned over = 0;
  do {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 // the thread may sleep meanwhile
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(sharedAddress(barrier)), "r"(parity)
                 : "memory");
#else
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(sharedAddress(barrier)), "r"(parity)
                 : "memory");
#endif
  } while (!over);
}

// --- copies ---

template <int Bytes> __device__ __forceinline__ void cpAsync(unsigned to, const void *from, unsigned read) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies elements of 4, 8 or 16 bytes");
  if constexpr (Bytes == 16) // bypasses L1, which is possible for this size only
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes), "r"(read)
                 : "memory");
}
__device__ __forceinline__ void cpAsyncCommit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits for all groups of this thread except the last `Groups`.
template <int Groups> __device__ __forceinline__ void cpAsyncWait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}
__device__ __forceinline__ void bulkCopy(void *to, const void *from, unsigned bytes, std::uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          sharedAddress(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(sharedAddress(barrier))
      : "memory");
}
/// Bulk copies access shared memory by another proxy than loads and stores: this fence orders the two.
__device__ __forceinline__ void proxyFence() { asm volatile("fence.proxy.async;" ::: "memory"); }

/// One lane of the warp, always the same.
__device__ __forceinline__ bool isElected() {
  unsigned elected = 0;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(elected)::"memory");
  return elected != 0;
}

} // namespace detail

// --- roles
// ------------------------------------------------------------------------------------------------------

/// The roles of a one-dimensional block: `Groups` consumer groups with as many threads as the original block, then the
/// producer warps. Consumers come first, so that their thread numbers do not change.
template <unsigned GroupThreads, unsigned Groups, unsigned ProducerWarps> struct Roles {
  static_assert(GroupThreads % 32 == 0, "roles are taken by warps: the original block must be whole warps");
  static_assert(Groups > 0 && ProducerWarps > 0, "somebody must produce and somebody consume");

  static constexpr unsigned groupThreads = GroupThreads, groups = Groups;
  static constexpr unsigned consumers = Groups * GroupThreads, producers = ProducerWarps * 32;
  static constexpr unsigned threads = consumers + producers;
  static_assert(threads <= 1024, "a block has at most 1024 threads: fewer producers or consumer groups");

  __device__ static bool isProducer() { return threadIdx.x >= consumers; }
  /// The consumer group, and with it the part of the tile that this thread processes.
  __device__ static unsigned group() { return threadIdx.x / GroupThreads; }
  /// A producer's number among the producers, or a consumer's number in its group, which is the number of the thread
  /// in the original block.
  __device__ static unsigned rank() {
    return isProducer() ? threadIdx.x - consumers : threadIdx.x % GroupThreads;
  }
  __device__ static unsigned lane() { return threadIdx.x % 32; }

  static constexpr unsigned consumersBarrier = 1; // 0 is that of __syncthreads
  /// Replaces __syncthreads for the consumers of all groups.
  __device__ static void syncConsumers() { detail::barSync<consumersBarrier, consumers>(); }
};

/// Releases registers (producers) or acquires them (consumers), sm_90a and later. All warps of a warp group
/// (four, from a multiple of four on) must do the same, so producers are four warps where this is used.
template <unsigned Registers> __device__ __forceinline__ void giveRegisters() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256, "24 to 256, a multiple of 8");
  static_assert(detail::registersMove || Registers == 0,
                "setmaxnreg is of architecture-specific targets only: compile for sm_90a, not sm_90");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <unsigned Registers> __device__ __forceinline__ void takeRegisters() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256, "24 to 256, a multiple of 8");
  static_assert(detail::registersMove || Registers == 0,
                "setmaxnreg is of architecture-specific targets only: compile for sm_90a, not sm_90");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

// --- copies
// -----------------------------------------------------------------------------------------------------

/// For Copy::CpAsync: *to = wanted ? *from : 0, some time before the stage is full. If `wanted` is false, `from` need
/// not be valid.
template <class T> __device__ __forceinline__ void copyAsync(T *to, const T *from, bool wanted = true) {
  detail::cpAsync<int(sizeof(T))>(detail::sharedAddress(to), from, wanted ? sizeof(T) : 0);
}

/// For Copy::Bulk: whether rows that begin at `first` and then every `pitch` elements are all aligned for it.
template <class T> __device__ __forceinline__ bool suitsBulk(const T *first, std::size_t pitch) {
  return (reinterpret_cast<std::size_t>(first) | pitch * sizeof(T)) % 16 == 0;
}

// --- the ring
// ---------------------------------------------------------------------------------------------------

/// A position in the ring, and the number of completed passes over it.
template <unsigned Stages> struct RingPosition {
  unsigned stage = 0, round = 0;

  __device__ unsigned parity() const { return round % 2; } ///< of the mbarriers' phase
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      ++round;
    }
  }
};

template <class Roles, unsigned Stages, Copy How, Barrier Kind> class Pipeline {
  static_assert(Stages >= 1, "at least one stage");
  static_assert(How != Copy::CpAsync || detail::arch >= 800,
                "copy=cpasync needs sm_80 or later: take copy=ld");
  static_assert(Kind != Barrier::Mbarrier || detail::arch >= 800,
                "barrier=mbarrier needs sm_80 or later: take barrier=named");
  static_assert(How != Copy::Bulk || detail::arch >= 900,
                "copy=bulk needs sm_90 or later: take copy=cpasync (sm_80) or copy=ld");
  static_assert(How != Copy::Bulk || Kind == Barrier::Mbarrier,
                "bulk copies report to an mbarrier: copy=bulk goes with barrier=mbarrier only");

  static constexpr bool named = Kind == Barrier::Named;
  // A named barrier for "full" and one for "empty" of each stage; 0 and 1 are used by Roles.
  static constexpr unsigned firstName = Roles::consumersBarrier + 1;
  static_assert(!named || firstName + 2 * Stages <= 16,
                "a block has 16 named barriers, enough for 7 stages: take barrier=mbarrier");
  static constexpr unsigned fullName = firstName, emptyName = firstName + Stages;

  // Threads that synchronize at a named barrier; arrivals at an mbarrier. For plain stores, one lane arrives for its
  // warp after __syncwarp; with cp.async each thread arrives for its own copies.
  static constexpr unsigned meeting = Roles::threads;
  static constexpr unsigned fullArrivals = How == Copy::CpAsync ? Roles::producers : Roles::producers / 32;
  static constexpr unsigned emptyArrivals = Roles::consumers / 32;

public:
  static constexpr unsigned stages = Stages;

  /// In shared memory. Named barriers are hardware resources and need no memory.
  struct Barriers {
    std::uint64_t full[named ? 1 : Stages], empty[named ? 1 : Stages];
  };

  /// Dynamic shared memory of a stage. The launch has requested this amount for each stage (forStages).
  template <class T> __device__ static T *at(T *dynamic, unsigned stage) {
    unsigned bytes = 0;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return reinterpret_cast<T *>(reinterpret_cast<char *>(dynamic) + bytes / Stages * stage);
  }

  /// Called by all threads of the block, once.
  __device__ static void setUp(Barriers &barriers) {
    if constexpr (!named) {
      if (threadIdx.x == 0) {
        for (unsigned stage = 0; stage < Stages; ++stage) {
          detail::mbarrierInit(&barriers.full[stage], fullArrivals);
          detail::mbarrierInit(&barriers.empty[stage], emptyArrivals);
        }
        if constexpr (How == Copy::Bulk)
          detail::proxyFence();
      }
      __syncthreads();
    }
  }

  class Producer {
  public:
    __device__ explicit Producer(Barriers &barriers) : barriers(barriers) {}

    /// Returns the next stage to fill, once no thread reads it any more.
    __device__ unsigned acquire() {
      if constexpr (!named)
        detail::mbarrierWait(&barriers.empty[position.stage], position.parity() ^ 1);
      else if (position.round > 0) // a stage that was never full need not be emptied
        detail::barSyncAt<emptyName, Stages, meeting>(position.stage);
      return position.stage;
    }

    /// Copy::Bulk: a row whose size and addresses are multiples of 16 bytes; all lanes call this, one copies.
    template <class T> __device__ void copyRow(T *to, const T *from, unsigned elements) {
      static_assert(How == Copy::Bulk, "rows are copied by copy=bulk");
      if (detail::isElected()) {
        std::uint64_t *full = &barriers.full[position.stage];
        detail::mbarrierExpect(full, elements * unsigned(sizeof(T)));
        detail::bulkCopy(to, from, elements * unsigned(sizeof(T)), full);
      }
    }

    /// What was stored and copied since acquire is the whole tile: the stage is full once all of it has arrived.
    __device__ void commit() {
      if constexpr (named && How == Copy::CpAsync)
        reportWhatHasArrived();
      else if constexpr (named)
        detail::barArriveAt<fullName, Stages, meeting>(position.stage);
      else
        arrive(&barriers.full[position.stage]);
      position.advance();
    }

    /// Copy::Bulk: the same for a tile that was written by plain stores, such as one at the edge.
    __device__ void commitStored() {
      static_assert(How == Copy::Bulk, "elsewhere commit() is enough");
      detail::proxyFence(); // a later bulk copy to this stage must follow these stores
      commit();
    }

    /// Between tile loops: waits until consumers call it too; later loads see what they have stored.
    __device__ void meet() {
      reportAll();
      meetAll();
    }

    /// After the last tile, once: until then the last stages may not have been signalled as full.
    __device__ void finish() {
      reportAll();
      if constexpr (named) {
        // A barrier at which consumers have arrived must be completed: wait for each stage that was filled, as in one
        // more pass over the ring.
        for (unsigned i = 0; i < Stages; ++i) {
          acquire();
          position.advance();
        }
      }
    }

  private:
    __device__ void arrive(std::uint64_t *full) {
      if constexpr (How == Copy::CpAsync) {
        // One more arrival to wait for, which follows the completion of the copies.
        detail::mbarrierAwaitCopies(full);
        detail::mbarrierArrive(full);
      } else {
        __syncwarp();
        if (Roles::lane() == 0)
          detail::mbarrierArrive(full);
      }
    }

    // A named barrier does not track copies, so the thread itself must wait for them. Waiting for those of this iteration
    // would allow only one tile in flight. While one stage is being read, Stages - 1 can be in flight, so the stage that is signalled is that of Stages - 2 iterations
    // ago.
    static constexpr unsigned behind = Stages > 2 ? Stages - 2 : 0;
    RingPosition<Stages> reported;
    unsigned untold = 0;

    __device__ void reportWhatHasArrived() {
      detail::cpAsyncCommit();
      detail::cpAsyncWait<int(behind)>();
      if (untold == behind)
        reportNext();
      else
        ++untold;
    }
    __device__ void reportAll() {
      if constexpr (How == Copy::CpAsync)
        detail::cpAsyncWait<0>();
      for (; untold > 0; --untold)
        reportNext();
    }
    __device__ void reportNext() {
      detail::barArriveAt<fullName, Stages, meeting>(reported.stage);
      reported.advance();
    }

    Barriers &barriers;
    RingPosition<Stages> position;
  };

  class Consumer {
  public:
    __device__ explicit Consumer(Barriers &barriers) : barriers(barriers) {}

    /// Returns the next stage to read, once it is full.
    __device__ unsigned wait() {
      if constexpr (named)
        detail::barSyncAt<fullName, Stages, meeting>(position.stage);
      else
        detail::mbarrierWait(&barriers.full[position.stage], position.parity());
      return position.stage;
    }

    /// This warp has finished reading the stage.
    __device__ void release() {
      if constexpr (named) {
        detail::barArriveAt<emptyName, Stages, meeting>(position.stage);
      } else {
        __syncwarp();
        if (Roles::lane() == 0)
          detail::mbarrierArrive(&barriers.empty[position.stage]);
      }
      position.advance();
    }

    /// Between tile loops: what was stored so far is visible to the producers' next loads.
    __device__ void meet() { meetAll(); }

  private:
    Barriers &barriers;
    RingPosition<Stages> position;
  };

private:
  __device__ static void meetAll() {
    if constexpr (How == Copy::Bulk)
      detail::proxyFence(); // bulk copies may read what was stored
    // The barrier of __syncthreads, as a named barrier: __syncthreads must be the same instruction for all threads.
    detail::barSync<0, Roles::threads>();
  }
};

// --- the launch
// -------------------------------------------------------------------------------------------------

/// Dynamic shared memory for this number of stages, each aligned for bulk copies.
inline std::size_t forStages(std::size_t bytes, unsigned stages) { return (bytes + 15) / 16 * 16 * stages; }

/// The block of a launch whose size is known only at run time: roles are generated for one size.
template <unsigned X, unsigned Y, unsigned Z>
unsigned blockWithRoles(dim3 block, unsigned threads, const char *name) {
  if (block.x == X && block.y == Y && block.z == Z)
    return threads;
  std::fprintf(
      stderr,
      "heddle: kernel '%s' was specialized for blocks of (%u, %u, %u) and is launched with (%u, %u, %u): "
      "specialize it with --block %u,%u,%u\n",
      name, X, Y, Z, block.x, block.y, block.z, block.x, block.y, block.z);
  std::abort();
}

/// Dynamic shared memory for a launch. Above 48 KB (including static shared memory) the kernel must opt in, and the
/// device must have it; otherwise the launch would fail with a status that many programs do not
/// check.
template <class Kernel> std::size_t sharedBytes(Kernel *kernel, std::size_t bytes, const char *name) {
  constexpr std::size_t freely = 48 * 1024;
  cudaFuncAttributes own{};
  cudaFuncGetAttributes(&own, kernel);
  const std::size_t all = bytes + own.sharedSizeBytes;
  if (all <= freely)
    return bytes;
  int device = 0, most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (all <= std::size_t(most) &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)) == cudaSuccess)
    return bytes;
  std::fprintf(
      stderr,
      "heddle: kernel '%s' needs %zu bytes of shared memory for its stages, and a block of this device "
      "can have %d: specialize it with fewer buffers\n",
      name, all, most);
  std::abort();
}

} // namespace heddle

#endif // HEDDLE_PIPELINE_CUH
