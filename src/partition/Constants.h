// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between the warps of one instance (sections 5.2 and 5.3): numbers, and indices of rows,
// components and results. Each warp has an array of them; all warps find theirs at the same place of their
// arrays. What is the same in all warps is no part of it: it is in the text.
#pragma once

#include "partition/Overlay.h"

#include <optional>

namespace heddle::partition {

/// Where the arrays are kept while a block works.
enum class ConstantPlace {
  Shuffle,  ///< in registers, an element in each lane, sent to all lanes when it is needed
  Shared,   ///< in shared memory
  Compiler, ///< in constant or global memory, through its caches
};

/// A constant of an instance.
template <class Number> struct ConstantUse {
  Number value = {};            ///< where all warps agree
  std::optional<unsigned> slot; ///< else: of every warp's array
};

template <class Number> struct ConstantArrays {
  std::vector<std::vector<Number>> ofWarp;            ///< all of one length
  std::vector<std::vector<ConstantUse<Number>>> uses; ///< by instance, in the order of its pieces' constants

  size_t length() const { return ofWarp.empty() ? 0 : ofWarp.front().size(); }
  size_t bytes() const { return ofWarp.size() * length() * sizeof(Number); }
};

struct Constants {
  ConstantArrays<double> numbers;
  /// Numbers of which data choose one, those of a choice one after the other. They are never kept where the
  /// address of a load must not depend on data.
  ConstantArrays<double> choices;
  ConstantArrays<unsigned> indices;
};

Constants constantsOf(const Overlaid &overlaid);

struct ConstantPlaces {
  ConstantPlace numbers = ConstantPlace::Shared, indices = ConstantPlace::Shared;
};

/// Shared memory as long as it has room, else constant memory, else registers while they are few, else global
/// memory through its caches. (A broadcast from a lane takes twice what a load from shared memory does of the
/// same pipe, and registers are what kernels of this kind have least of.) `sharedBytes`: what a block may
/// have, `rows` included.
ConstantPlaces choosePlaces(const Constants &constants, unsigned rows, size_t sharedBytes,
                            std::optional<ConstantPlace> forced);

/// How many bytes an index takes in a kernel.
inline constexpr size_t indexBytes = 2;

} // namespace heddle::partition
