// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Formulas.h"

#include <algorithm>
#include <numeric>

namespace heddle::divergence {
namespace {

template <class OfBlock> double sumOverBlocks(const BlockVectors &vectors, OfBlock ofBlock) {
  double sum = 0;
  for (uint32_t block = 0; block < vectors.blocks(); ++block)
    sum += ofBlock(block);
  return sum;
}

} // namespace

double latencyInWarp(const BlockVectors &vectors, Latencies latencies, Threads warp, uint32_t block) {
  return latencies[block] * maxCount(vectors, warp, block);
}

double warpLatency(const BlockVectors &vectors, Latencies latencies, Threads warp) {
  return sumOverBlocks(vectors, [&](uint32_t b) { return latencyInWarp(vectors, latencies, warp, b); });
}

double blockLatency(const BlockVectors &vectors, Latencies latencies, Threads block, unsigned warpSize) {
  double sum = 0;
  for (size_t at = 0; at < block.size(); at += warpSize)
    sum += warpLatency(vectors, latencies, block.subspan(at, std::min<size_t>(warpSize, block.size() - at)));
  return sum;
}

double kernelLatency(std::span<const double> blockLatencies, unsigned sms) {
  return std::accumulate(blockLatencies.begin(), blockLatencies.end(), 0.0) / sms;
}

uint32_t minCount(const BlockVectors &vectors, Threads group, uint32_t block) {
  uint32_t least = ~0u;
  for (uint32_t thread : group)
    least = std::min(least, vectors.thread(thread)[block]);
  return least;
}

uint32_t maxCount(const BlockVectors &vectors, Threads group, uint32_t block) {
  uint32_t most = 0;
  for (uint32_t thread : group)
    most = std::max(most, vectors.thread(thread)[block]);
  return most;
}

double benefit(const BlockVectors &vectors, Latencies latencies, Threads a, Threads b) {
  return sumOverBlocks(vectors, [&](uint32_t block) {
    return latencies[block] * std::min(minCount(vectors, a, block), minCount(vectors, b, block));
  });
}

double cost(const BlockVectors &vectors, Latencies latencies, Threads a, Threads b) {
  return sumOverBlocks(vectors, [&](uint32_t block) {
    const uint32_t least = std::min(minCount(vectors, a, block), minCount(vectors, b, block));
    const uint32_t most = std::max(maxCount(vectors, a, block), maxCount(vectors, b, block));
    return latencies[block] * (most - least);
  });
}

double gain(const BlockVectors &vectors, Latencies latencies, Threads a, Threads b) {
  return benefit(vectors, latencies, a, b) - cost(vectors, latencies, a, b);
}

double threadLatency(const BlockVectors &vectors, Latencies latencies, uint32_t thread) {
  return sumOverBlocks(vectors, [&](uint32_t b) { return latencies[b] * vectors.thread(thread)[b]; });
}

} // namespace heddle::divergence
