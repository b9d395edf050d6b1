// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels of a program are tuned, in which order, and how a budget is divided among them.
//
// Of a program with several kernels each is tuned by itself: a directive that helps one may hurt another, and the spaces of two
// kernels multiply where they are searched together. The kernel that takes longest in total comes first. A kernel can make the
// program no faster than if it took no time at all, so one that takes next to nothing is left as it is. What is left of a budget
// is divided by shares when a kernel begins: what one does not use is for those after it.
#pragma once

#include "build/CaptureRun.h"
#include "tune/FileKernels.h"
#include "tune/Search.h"

namespace heddle::tune {

/// A kernel of the tuned file, with what its launches take.
struct KernelShare {
  std::string name; ///< the plain one; instantiations of a template count together
  double share = 0; ///< of the time of all launches of the program, from 0 to 1
  uint64_t launches = 0;
  build::LaunchShape longest; ///< of the shapes of its launches, the one that takes longest in total
  double longestShare = 1;    ///< of the time of the kernel's launches, from 0 to 1
  size_t shapes = 1;          ///< of its launches, with those of all instantiations

  /// "scan is launched in 7 instantiations or shapes; candidates are timed by one of them, scan<1> with grid 79 1 1, block 256 1 1, which takes
  /// 31 % of the time of its launches"; empty where that one takes nearly all of it.
  std::string note() const;
};

struct KernelPlan {
  std::vector<KernelShare> tuned, left; ///< the one that takes longest first
  double elsewhere = 0;                 ///< the share of kernels that the file does not have
  bool hasOthers = false;               ///< the file has more than one kernel, launched or not
  /// What shares are of.
  enum class Of { Time, PredictedTime, Instructions } sharesAreOf = Of::Time;

  /// "stencil takes 71 % of the time of all launches and is tuned first, then norm (20 %); not tuned: fill (2 %)"; empty where
  /// nothing but one kernel of the file is launched.
  std::string str() const;
};

/// `shapes`: of all launches that are meant. `kernels`: of the tuned file.
KernelPlan planKernels(const std::vector<build::LaunchShape> &shapes, const std::vector<FileKernel> &kernels);

/// What kernel `index` of plan.tuned may use of what is left.
Budget partOf(const Budget &left, const KernelPlan &plan, size_t index);

} // namespace heddle::tune
