// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/ArrayBounds.h"

#include "check/AccessEvents.h"
#include "vm/Code.h"
#include "vm/Lanes.h"

namespace heddle::check {

void checkArrayBounds(const Where &at, const vm::AccessEvent &event, Reporter &reporter) {
  const SharedArrays::Array &array = at.launch.code->arrays.of(at.instrId - at.launch.firstInstrId);
  if (!array.variable)
    return;
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t address = event.addresses[lane];
    if ((address >= array.begin && address + event.bytes <= array.end) ||
        !reporter.isNew(Rule::MemorySharedArray, at.instrId, 0))
      return;
    reporter.report(
        Rule::MemorySharedArray, at.launch, at.instrId,
        fmt::format("{} of {} {} byte {} of '{}', which {}; that is {}", at.threadText(lane), at.blockText(),
                    writes(event) ? "writes" : "reads", int64_t(address - array.begin),
                    readableVariable(array.variable->name),
                    array.end == ~uint64_t(0) ? std::string("begins at byte 0")
                                              : fmt::format("has {} bytes", array.variable->bytes),
                    sharedName(*at.launch.kernel, address, elementBytes(event))),
        0, {},
        "the index is outside the array; which array is next to it in shared memory is up to the compiler");
  });
}

} // namespace heddle::check
