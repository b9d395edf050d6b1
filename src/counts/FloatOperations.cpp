// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions are counted by latency class for whole warps; lanes that execute them are counted by coarser classes. The mean
// number of lanes of the coarser class is taken for each of the finer ones in it.
#include "counts/FloatOperations.h"

#include <initializer_list>
#include <string_view>

namespace heddle::counts {
namespace {

using vm::InstructionClass;

double lanesPerWarp(const vm::CounterSums &sums, std::initializer_list<InstructionClass> classes) {
  double warps = 0, threads = 0;
  for (InstructionClass cls : classes) {
    warps += double(sums.classes[unsigned(cls)].warp);
    threads += double(sums.classes[unsigned(cls)].thread);
  }
  return warps > 0 ? threads / warps : 0;
}

/// Operations of one lane; 0 for what is no arithmetic.
double operationsOf(std::string_view cls) {
  const bool isFused = cls.starts_with("fma.");
  const bool isArithmetic = isFused || cls.starts_with("add.") || cls.starts_with("mul.") ||
                            cls.starts_with("div.") || cls.starts_with("rcp.") || cls.starts_with("sqrt.") ||
                            cls.starts_with("rsqrt.") || cls.starts_with("sin.") || cls.starts_with("cos.") ||
                            cls.starts_with("ex2.") || cls.starts_with("lg2.") || cls.starts_with("tanh.");
  return isArithmetic ? (isFused ? 2 : 1) * (cls.ends_with("16x2") ? 2 : 1) : 0;
}

} // namespace

FloatOperations floatOperations(const LaunchFacts &launch) {
  const double halfLanes = lanesPerWarp(launch.sums, {InstructionClass::Half}),
               singleLanes =
                   lanesPerWarp(launch.sums, {InstructionClass::Float, InstructionClass::FloatDivide,
                                              InstructionClass::SpecialFunction}),
               doubleLanes =
                   lanesPerWarp(launch.sums, {InstructionClass::Double, InstructionClass::DoubleDivide});
  FloatOperations made;
  for (const auto &[cls, warps] : launch.instructions) {
    const double operations = operationsOf(cls) * double(warps);
    if (cls == "call")
      made.calls += double(warps);
    if (cls.ends_with("16x2"))
      made.half += operations * halfLanes;
    else if (cls.ends_with(".f32"))
      made.single += operations * singleLanes;
    else if (cls.ends_with(".f64"))
      made.fp64 += operations * doubleLanes;
  }
  return made;
}

} // namespace heddle::counts
