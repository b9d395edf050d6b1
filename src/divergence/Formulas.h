// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of "An Accurate GPU Performance Model for Effective Control Flow Divergence Optimization"
// (Liang, Satria, Rupnow, Chen; TCAD 2016), one function each, with its number. They say what is meant;
// Metrics.h and RegroupAlgorithms.h compute the same for whole launches, quickly, and are tested against these.
//
// A latency is in cycles and belongs to a basic block: the sum over its instructions. Groups and warps are
// lists of threads.
#pragma once

#include "divergence/BlockVectors.h"

#include <cstdint>

namespace heddle::divergence {

using Latencies = std::span<const double>; ///< of basic blocks, lat[b]
using Threads = std::span<const uint32_t>;

/// (2) What a basic block costs a warp: all of its threads wait for the one that executes it most often.
double latencyInWarp(const BlockVectors &vectors, Latencies latencies, Threads warp, uint32_t block);
/// (3) A warp: the sum over basic blocks.
double warpLatency(const BlockVectors &vectors, Latencies latencies, Threads warp);
/// (4) A thread block: the sum over its warps, which are `warpSize` threads in a row each.
double blockLatency(const BlockVectors &vectors, Latencies latencies, Threads block, unsigned warpSize = 32);
/// (5) The kernel: thread blocks distributed evenly to the multiprocessors.
double kernelLatency(std::span<const double> blockLatencies, unsigned sms);
/// (6) The fewest times that a thread of the group executes the block.
uint32_t minCount(const BlockVectors &vectors, Threads group, uint32_t block);
/// (7) The most.
uint32_t maxCount(const BlockVectors &vectors, Threads group, uint32_t block);
/// (8) What both groups do together if they are merged.
double benefit(const BlockVectors &vectors, Latencies latencies, Threads a, Threads b);
/// (9) What some of their threads do while others wait.
double cost(const BlockVectors &vectors, Latencies latencies, Threads a, Threads b);
/// (10)
double gain(const BlockVectors &vectors, Latencies latencies, Threads a, Threads b);
/// (11) One thread by itself.
double threadLatency(const BlockVectors &vectors, Latencies latencies, uint32_t thread);

} // namespace heddle::divergence
