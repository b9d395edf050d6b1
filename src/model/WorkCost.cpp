// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/WorkCost.h"

#include "model/Rates.h"
#include "model/Thresholds.h"

#include <cmath>

namespace heddle::model {
namespace {

/// How many FP32 additions a multiprocessor does while it does one of a class.
double additionsPer(std::string_view cls, const arch::Arch &arch) {
  return std::round(rateOf("add.f32", arch)->perCycle / rateOf(cls, arch)->perCycle);
}

} // namespace

WorkCosts workCosts(const arch::Arch &arch) {
  WorkCosts costs;
  costs.division = additionsPer("div.full.f32", arch);
  costs.divisionByConstant = threshold::work::divisionByConstant;
  costs.specialFunction = additionsPer("ex2.approx.f32", arch);
  costs.sharedAccess = additionsPer("ld.shared", arch);
  costs.broadcastGlobal = additionsPer("ld.global.l1", arch);
  costs.globalAccess = threshold::work::globalAccess;
  costs.consecutiveShared = threshold::work::consecutiveBroadcast;
  costs.sectorBytes = arch.l2SectorBytes;
  return costs;
}

double gain(const Work &before, const Work &after) {
  return after.total() > 0 ? before.total() / after.total() : 1;
}

} // namespace heddle::model
