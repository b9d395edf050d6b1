// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done with a candidate, in this order: its module is loaded, the captured variables are set in it, memory is
// restored, the kernel is launched once, and all memory is compared with what the captured launch left behind. Only
// then is it timed, each round on restored memory.
#include "replay/Session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace heddle::replay {
namespace {

/// Contents of objects that differ are written so much at a time.
constexpr uint64_t kWriteBytes = uint64_t(16) << 20;
/// Of more objects and places the text names none.
constexpr size_t kMostNamed = 3;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

capture::CaptureFolder opened(const std::string &folder) {
  std::string error;
  std::optional<capture::CaptureFolder> capture = capture::CaptureFolder::open(folder, error);
  if (!capture)
    throw ReplayError(error);
  return std::move(*capture);
}

Dim dimOf(const capture::Dimensions &dim) { return {dim.x, dim.y, dim.z}; }

/// Fewer times than this say nothing of their spread.
constexpr size_t kLeastTimes = 7;

/// Whether the middle half of the times spans at most this share of their median.
bool isSteady(std::vector<double> times, double share) {
  if (times.size() < kLeastTimes)
    return false;
  std::sort(times.begin(), times.end());
  const size_t last = times.size() - 1;
  return times[last - last / 4] - times[last / 4] <= share * times[times.size() / 2];
}

} // namespace

Session::Session(const std::string &folderName, const std::string &driverLibrary, uint64_t mostCopyBytes)
    : folder(opened(folderName)), driver(driverLibrary) {
  // A stream that waits for the default stream: cuMemcpyHtoD, which uses that one, may return before its data has
  // reached the device.
  driver.check(driver.streamCreate(&stream, 0), "streams cannot be created");
  state = std::make_unique<State>(driver, folder, stream, mostCopyBytes);
  timer = std::make_unique<Timer>(driver, stream);
}

Request Session::capturedLaunch() const {
  Request request;
  request.kernel = folder.manifest.kernel;
  request.grid = dimOf(folder.manifest.grid);
  request.block = dimOf(folder.manifest.block);
  request.cluster = dimOf(folder.manifest.cluster);
  request.sharedBytes = uint32_t(folder.manifest.sharedBytes);
  request.isCooperative = folder.manifest.cooperative;
  return request;
}

Measurement Session::measure(const Request &request) {
  Measurement result;
  const double began = now();
  try {
    run(request, result);
  } catch (const std::exception &error) {
    result.status = Status::Failed;
    result.text = error.what();
    result.times.clear();
    // A fault of a kernel stays: every later call of this process returns it.
    if (const cu::Result left = driver.synchronize(); left != cu::Success) {
      result.isFatal = true;
      if (result.text.find(driver.describe(left)) == std::string::npos)
        result.text += ": " + driver.describe(left);
    }
    state->forget();
  }
  result.seconds = now() - began;
  return result;
}

void Session::run(const Request &request, Measurement &result) {
  Candidate candidate(driver, request, folder.manifest, state->textures());
  const Candidate::Needs needs = candidate.needs();
  result.registers = needs.registers;
  result.localBytes = needs.localBytes;
  result.sharedBytes = needs.sharedBytes;
  result.occupancy = needs.occupancy;
  state->prepare(candidate.variables());
  const uint64_t instructions = driver.instructionsSoFar();
  candidate.launch(stream);
  result.isLaunched = true;
  driver.check(driver.streamSynchronize(stream), "the kernel failed");
  if (!request.countersFile.empty())
    driver.writeCounters(request.countersFile);
  if (!driver.measuresTime())
    result.times.push_back(double(driver.instructionsSoFar() - instructions));
  state->compare(result.differing, result.outside);
  result.status = result.differing.empty() && result.outside.empty() ? Status::Same : Status::Differs;
  describe(result);
  if (!request.differencesFile.empty() && !result.differing.empty())
    writeDifferences(request.differencesFile, result);
  // On the simulator every round executes the same instructions.
  if (driver.measuresTime())
    timeRounds(candidate, request, result);
  state->findChanges();
}

void Session::describe(Measurement &result) const {
  auto add = [&](const std::string &text) { result.text += (result.text.empty() ? "" : "; ") + text; };
  for (size_t i = 0; i < std::min(kMostNamed, result.differing.size()); ++i) {
    const Difference &each = result.differing[i];
    add(folder.manifest.objectName(each.object) + ": " + std::to_string(each.bytes) +
        (each.bytes == 1 ? " byte differs, at offset " : " bytes differ, the first at offset ") +
        std::to_string(each.first));
  }
  if (result.differing.size() > kMostNamed)
    add(std::to_string(result.differing.size() - kMostNamed) + " more objects differ");
  if (!result.outside.empty()) {
    char address[32];
    std::snprintf(address, sizeof address, "0x%llx", (unsigned long long)result.outside[0].address);
    add(std::string("the kernel writes outside of all captured memory, at ") + address);
  }
}

void Session::writeDifferences(const std::string &file, Measurement &result) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const Difference &difference : result.differing) {
    const uint64_t words[] = {difference.object, folder.manifest.objectBytes(difference.object)};
    out.write(reinterpret_cast<const char *>(words), sizeof words);
    for (uint64_t at = 0; out && at < words[1]; at += kWriteBytes) {
      const std::vector<uint8_t> bytes =
          state->read(difference.object, at, std::min(kWriteBytes, words[1] - at));
      out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    }
  }
  out.close();
  if (out)
    return;
  // Half a file would be taken for a whole one. A device is none.
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored))
    std::filesystem::remove(file, ignored);
  result.text += "; the contents could not be written to " + file;
}

void Session::timeRounds(Candidate &candidate, const Request &request, Measurement &result) {
  const double began = now();
  for (unsigned i = 0; i < request.warmUps + request.rounds; ++i) {
    if (now() - began > request.seconds && !result.times.empty())
      break;
    state->undo();
    if (request.flushesL2)
      timer->flushL2();
    const double micros = timer->time([&] { candidate.launch(stream); });
    const bool isLate = now() - began > request.seconds; // a warm-up is better than nothing then
    if (i >= request.warmUps || isLate)
      result.times.push_back(micros);
    if (request.steady > 0 && isSteady(result.times, request.steady))
      break;
  }
}

} // namespace heddle::replay
