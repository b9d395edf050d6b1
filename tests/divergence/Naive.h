// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The algorithms of section V as they are printed, thread by thread, with no thought for time. Where the
// paper leaves a choice, RegroupAlgorithms.h says which: the vector with the lowest thread first.
#pragma once

#include "divergence/Formulas.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace heddle::divergence {

using Groups = std::vector<std::vector<uint32_t>>;

/// By vector, the lowest thread that has it.
inline uint32_t firstLike(const BlockVectors &vectors, uint32_t thread) {
  for (uint32_t t = 0; t < thread; ++t)
    if (vectors.rowOfThread(t) == vectors.rowOfThread(thread))
      return t;
  return thread;
}
inline uint32_t firstOf(const BlockVectors &vectors, const std::vector<uint32_t> &group) {
  uint32_t lowest = ~0u;
  for (uint32_t t : group)
    lowest = std::min(lowest, firstLike(vectors, t));
  return lowest;
}

/// Algorithm 1.
inline Groups naiveGreedy(const BlockVectors &vectors, Latencies latencies, uint32_t groupSize) {
  Groups open, done;
  for (uint32_t t = 0; t < vectors.threads(); ++t)
    open.push_back({t});
  while (open.size() > 1) {
    double most = -std::numeric_limits<double>::infinity();
    size_t m = 0, n = 1;
    for (size_t i = 0; i < open.size(); ++i)
      for (size_t j = i + 1; j < open.size(); ++j)
        if (double g = gain(vectors, latencies, open[i], open[j]); g > most)
          most = g, m = i, n = j;
    std::vector<uint32_t> a = open[m], b = open[n];
    open.erase(open.begin() + long(n)), open.erase(open.begin() + long(m));
    if (firstOf(vectors, b) < firstOf(vectors, a))
      std::swap(a, b);
    a.insert(a.end(), b.begin(), b.end());
    if (a.size() >= groupSize) {
      done.emplace_back(a.begin(), a.begin() + groupSize);
      a.erase(a.begin(), a.begin() + groupSize);
    }
    if (!a.empty())
      open.push_back(a);
  }
  done.insert(done.end(), open.begin(), open.end());
  return done;
}

/// Algorithm 2. Latencies have to be integers: vectors that differ only where both exceed the group's most gain the same, and
/// a sum that is rounded would decide between them.
inline Groups naiveGreedyMax(const BlockVectors &vectors, Latencies latencies, uint32_t groupSize) {
  std::vector<uint32_t> left(vectors.threads());
  std::iota(left.begin(), left.end(), 0u);
  Groups done;
  while (!left.empty()) {
    std::vector<uint32_t> group;
    auto take = [&](size_t index) {
      group.push_back(left[index]);
      left.erase(left.begin() + long(index));
    };
    auto isBetter = [&](double a, size_t indexOfA, double b, size_t indexOfB) {
      return a != b ? a > b : firstLike(vectors, left[indexOfA]) < firstLike(vectors, left[indexOfB]);
    };
    size_t longest = 0;
    for (size_t i = 1; i < left.size(); ++i)
      if (isBetter(threadLatency(vectors, latencies, left[i]), i,
                   threadLatency(vectors, latencies, left[longest]), longest))
        longest = i;
    take(longest);
    while (group.size() < groupSize && !left.empty()) {
      double most = -std::numeric_limits<double>::infinity();
      size_t best = 0;
      bool identical = false;
      for (size_t i = 0; i < left.size() && !identical; ++i) {
        for (uint32_t member : group)
          identical |= vectors.rowOfThread(member) == vectors.rowOfThread(left[i]);
        const uint32_t candidate[] = {left[i]};
        if (double g = gain(vectors, latencies, group, candidate); identical || isBetter(g, i, most, best))
          most = g, best = i;
      }
      take(best);
    }
    done.push_back(group);
  }
  return done;
}

/// Sum of (3) over groups.
inline double sumOfWarps(const BlockVectors &vectors, Latencies latencies, const Groups &groups) {
  double sum = 0;
  for (const auto &group : groups)
    sum += warpLatency(vectors, latencies, group);
  return sum;
}

/// The least that any way to group threads can cost.
inline double bestSum(const BlockVectors &vectors, Latencies latencies, uint32_t groupSize,
                      std::vector<uint32_t> left = {}, bool begin = true) {
  if (begin) {
    left.resize(vectors.threads());
    std::iota(left.begin(), left.end(), 0u);
  }
  if (left.empty())
    return 0;
  // The first thread that is left is in some group: try all that it can be in.
  const uint32_t size = std::min<uint32_t>(groupSize, uint32_t(left.size()));
  double best = std::numeric_limits<double>::infinity();
  std::vector<bool> chosen(left.size() - 1);
  std::fill(chosen.begin(), chosen.begin() + (size - 1), true);
  do {
    std::vector<uint32_t> group = {left[0]}, rest;
    for (size_t i = 1; i < left.size(); ++i)
      (chosen[i - 1] ? group : rest).push_back(left[i]);
    best = std::min(best, warpLatency(vectors, latencies, group) +
                              bestSum(vectors, latencies, groupSize, rest, false));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return best;
}

inline Groups cutIntoGroups(const std::vector<uint32_t> &order, uint32_t groupSize) {
  Groups groups;
  for (size_t at = 0; at < order.size(); at += groupSize)
    groups.emplace_back(order.begin() + long(at),
                        order.begin() + long(std::min(order.size(), at + groupSize)));
  return groups;
}

/// Groups as sorted lists of vectors, in the order given: what distinguishes groupings when equal threads
/// change places.
inline std::vector<std::vector<uint32_t>> rowsOf(const BlockVectors &vectors, const Groups &groups) {
  std::vector<std::vector<uint32_t>> all;
  for (const auto &group : groups) {
    all.emplace_back();
    for (uint32_t t : group)
      all.back().push_back(vectors.rowOfThread(t));
    std::sort(all.back().begin(), all.back().end());
  }
  return all;
}

} // namespace heddle::divergence
