// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a transform pays, as functions of numbers. A directive counts what its kernel does and asks here; what decides are the thresholds
// of Thresholds.def and the limits of arch/. Nothing here knows how the numbers were found, or how the answer is printed.
#pragma once

#include "arch/Occupancy.h"

#include <cstdint>
#include <optional>

namespace heddle::model {

// A grid that is known
// ------------------------------------------------------------------------------------------------------------

/// Warps that a grid needs to have enough of them for every multiprocessor of the device.
double warpsToFill(const arch::Arch &arch);
/// Enough warps for every multiprocessor of the device?
bool fillsDevice(double warpsOfGrid, const arch::Arch &arch);

// coarsen: threads merged into one
// ------------------------------------------------------------------------------------------------------------

/// Does so many times less work pay for fewer threads?
bool mergingPays(double gain);
/// The bound between the best candidate's work and that of a smaller one that is as good.
double nearlyLeast(double leastWork);
/// Registers by estimate; `arrayRegistersPerItem`: what each item keeps in arrays.
unsigned registersOfMerged(unsigned before, unsigned items, unsigned arrayRegistersPerItem);
/// Can a thread take so many registers, by an estimate that is not exact?
bool mayTakeRegisters(unsigned registers, const arch::Arch &arch);
/// Is enough occupancy left, in percent?
bool keepsOccupancy(double before, double after);
/// The same where threads are merged for the sake of memory, whose latency has to be hidden.
bool keepsOccupancyForMemory(double after);

// consolidate: one warp in the place of a block
// ------------------------------------------------------------------------------------------------------------

/// Does the work between two barriers of a thread hide the wait of others?
bool hidesBarriers(double workBetweenBarriers);
/// Are enough warps left on a multiprocessor?
bool keepsWarps(double before, double after);
/// Can shared arrays that take so many registers of a lane be moved there?
bool mayMoveToRegisters(int64_t registersPerLane);

// delegate: persistent warps that do one block's work after the other
// ------------------------------------------------------------------------------------------------------------

/// Warps of a block of persistent warps; `sharedBytes`: of one warp, `throttle`: 0, or the most that are wanted.
unsigned persistentWarpsPerBlock(int64_t sharedBytes, unsigned throttle);

struct TaskWork {
  double workOfLane = 0;                            ///< in FP32 additions
  unsigned residentAlone = 0, residentTogether = 0; ///< warps per SM, in blocks of one warp and of several
  std::optional<int64_t> tasks;                     ///< blocks of the grid, where it is known

  unsigned residentAtBest() const {
    return residentAlone > residentTogether ? residentAlone : residentTogether;
  }
};
enum class Persistence { TooFewTasks, MoreResidentWarps, SmallTasks, LargeTasks };
/// Of a device, or (where none is named) by the size of tasks alone.
Persistence persistence(const TaskWork &work, const arch::Arch *arch);
bool pays(Persistence answer);

// specialize: producer and consumer warps
// ------------------------------------------------------------------------------------------------------------

/// What a thread does in one iteration of a tile loop.
struct TileWork {
  double loads = 0; ///< elements that it loads to tiles
  double steps = 0; ///< iterations that takes
  double reads = 0; ///< of elements of tiles

  double reuse() const { return loads > 0 ? reads / loads : 0; }
};
enum class Roles { Pay, FewLoads, UnknownReuse, ComputeBound, LongLoads };
Roles rolesPay(const TileWork &work, bool isBulkCopy);

/// Is a load long enough for several producer warps?
bool needsSeveralProducers(const TileWork &work);
unsigned mostProducerWarps();
unsigned buffersFor(int64_t tileBytes, bool isBulkCopy);
/// Are rows long enough for a bulk copy to be worth its lane's time?
bool suitsBulkCopy(int64_t rowBytes);

/// Registers per thread that producers keep and consumers get, where they can move (setmaxnreg).
struct RegisterSplit {
  unsigned producers = 0, consumers = 0;
};
/// What each thread has at first, with one block per multiprocessor.
int64_t registersAtFirst(int64_t threads, const arch::Arch &arch);
RegisterSplit splitRegisters(int64_t producerThreads, int64_t consumerThreads, const arch::Arch &arch);

} // namespace heddle::model
