// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/preload/Survey.h"

namespace heddle::capture {
namespace {

/// Events are read and destroyed when so many are waiting.
constexpr size_t kMostPending = 1024;

/// Instructions that the simulator has executed until now; null on a GPU.
using Instructions = uint64_t();
Instructions *instructionsOfSimulator() {
  static auto *function = trace::real<Instructions>("__heddleThreadInstructions");
  return function;
}

std::string textOfSurvey(const std::string &kernel, const trace::Launch &launch) {
  std::string text = kernel;
  for (size_t number :
       {size_t(launch.grid.x), size_t(launch.grid.y), size_t(launch.grid.z), size_t(launch.block.x),
        size_t(launch.block.y), size_t(launch.block.z), launch.sharedBytes})
    text += ' ' + std::to_string(number);
  return text;
}

double microsBetween(cudaEvent_t begin, cudaEvent_t end) {
  float millis = 0;
  if (REAL(cudaEventSynchronize)(end) != cudaSuccess ||
      REAL(cudaEventElapsedTime)(&millis, begin, end) != cudaSuccess) {
    REAL(cudaGetLastError)();
    return -1;
  }
  return 1000.0 * double(millis);
}

} // namespace

const char *Survey::unit() { return instructionsOfSimulator() ? "instructions" : "micros"; }

size_t Survey::shapeOf(const std::string &kernel, const trace::Launch &launch, uint64_t number) {
  const auto [known, isNew] = byText.emplace(textOfSurvey(kernel, launch), all.size());
  if (isNew)
    all.push_back({kernel, launch.grid, launch.block, launch.sharedBytes, number, 0, 0});
  return known->second;
}

bool Survey::isNew(const std::string &kernel, const trace::Launch &launch) const {
  return byText.count(textOfSurvey(kernel, launch)) == 0;
}

cudaError_t Survey::makeUnmeasured(const std::string &kernel, const trace::Launch &launch, uint64_t number) {
  ++all[shapeOf(kernel, launch, number)].launches;
  return launch.make();
}

cudaError_t Survey::measure(const std::string &kernel, const trace::Launch &launch, uint64_t number) {
  const size_t shape = shapeOf(kernel, launch, number);
  ++all[shape].launches;
  if (Instructions *executed = instructionsOfSimulator()) {
    REAL(cudaDeviceSynchronize)();
    const uint64_t before = executed();
    const cudaError_t error = launch.make();
    REAL(cudaDeviceSynchronize)();
    last = double(executed() - before);
    all[shape].cost += last;
    return error;
  }
  // Asking for attributes loads the kernel, which would otherwise happen between the first launch's events.
  cudaFuncAttributes attributes = {};
  if (all[shape].launches == 1 && REAL(cudaFuncGetAttributes)(&attributes, launch.function) != cudaSuccess)
    REAL(cudaGetLastError)();
  Pending events = {shape, nullptr, nullptr};
  REAL(cudaEventCreate)(&events.begin);
  REAL(cudaEventCreate)(&events.end);
  REAL(cudaEventRecord)(events.begin, launch.stream);
  const cudaError_t error = launch.make();
  REAL(cudaEventRecord)(events.end, launch.stream);
  pending.push_back(events);
  if (pending.size() > kMostPending)
    collect(kMostPending / 2);
  return error;
}

double Survey::lastCost() const {
  if (instructionsOfSimulator() || pending.empty())
    return last;
  return microsBetween(pending.back().begin, pending.back().end);
}

void Survey::collect(size_t most) {
  for (; most && !pending.empty(); --most) {
    const Pending events = pending.front();
    pending.pop_front();
    if (const double micros = microsBetween(events.begin, events.end); micros > 0)
      all[events.shape].cost += micros;
    REAL(cudaEventDestroy)(events.begin);
    REAL(cudaEventDestroy)(events.end);
  }
}

void Survey::finish() { collect(pending.size()); }

} // namespace heddle::capture
