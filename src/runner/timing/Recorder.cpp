// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How launches are timed.
//
// Each of the program's own launches has an event before and one after it. Where a configuration - a kernel,
// its grid, its block, its shared memory - was launched often enough, those times are the result. Most
// programs launch a kernel once. So before the first launch of a configuration all of the program's memory on
// the device is copied aside, and when the program is done the launch is made again and again, each time on
// the memory that it saw at first: a kernel that adds to its argument, or takes tasks from a queue, does the
// same work each time.
//
// Between the first event and the kernel the device must not wait for the host. Replays are therefore queued
// after a gate, a host function that ends when all three are in the queue.
//
// The end of the program is the last moment before the runtime's own exit handlers: ours is registered after
// the first launch, and handlers run backwards. _exit and cudaDeviceReset are seen too.
//
// The report is written twice: when the program's own work is done, and when launches were made again. Should
// that kill the process or take too long, what the program did is known all the same.
#include "Recorder.h"

#include "trace/preload/JsonText.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::timing {
namespace {

using trace::quoted;

/// Of the program's own launches of one configuration, so many are timed.
constexpr size_t kMostOwnSamples = 256;
/// The host needs some microseconds for three calls; a gate that stays closed must not hang the program.
constexpr auto kLongestGate = std::chrono::microseconds(500);
constexpr size_t kStagingBytes = 16 << 20;

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double numberFrom(const char *variable, double otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atof(text) : otherwise;
}

uint64_t mixed(uint64_t hash, const void *memory, size_t bytes) {
  constexpr uint64_t kPrime = 1099511628211u; // FNV's, by words: fast enough for gigabytes
  const char *at = static_cast<const char *>(memory);
  for (uint64_t word; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29; // multiplying alone never carries a high bit down
  }
  for (; bytes > 0; --bytes, ++at)
    hash = (hash ^ uint64_t(uint8_t(*at))) * kPrime;
  return hash;
}
constexpr uint64_t kHashBegin = 14695981039346656037u;

std::string shapeOf(const std::string &kernel, const Launch &launch) {
  std::string shape = kernel;
  for (size_t number :
       {size_t(launch.grid.x), size_t(launch.grid.y), size_t(launch.grid.z), size_t(launch.block.x),
        size_t(launch.block.y), size_t(launch.block.z), launch.sharedBytes})
    shape += ' ' + std::to_string(number);
  return shape;
}

class Gate {
public:
  void close(cudaStream_t stream) {
    if (REAL(cudaLaunchHostFunc)(stream, wait, this) != cudaSuccess)
      REAL(cudaGetLastError)();
  }
  void open() { isOpen = true; }

private:
  static void wait(void *self) {
    const auto begin = std::chrono::steady_clock::now();
    while (!static_cast<Gate *>(self)->isOpen && std::chrono::steady_clock::now() - begin < kLongestGate)
      ;
  }
  std::atomic<bool> isOpen{false};
};

/// What kernels print when they are launched once more is not the program's output.
class Silence {
public:
  Silence() : kept(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
  }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;

private:
  int kept;
};

std::string deviceName() {
  cudaDeviceProp properties = {};
  int device = 0;
  REAL(cudaGetDevice)(&device);
  return REAL(cudaGetDeviceProperties)(&properties, device) == cudaSuccess ? properties.name : "";
}

void finishAtExit() { Recorder::instance().finish(); }

} // namespace

Recorder &Recorder::instance() {
  static auto *recorder = new Recorder;
  return *recorder;
}

Recorder::Recorder() {
  if (const char *file = std::getenv("HEDDLE_TIMING"))
    reportFile = file;
  rounds = unsigned(numberFrom("HEDDLE_TIMING_ROUNDS", rounds));
  warmUps = unsigned(numberFrom("HEDDLE_TIMING_WARM_UPS", warmUps));
  replaySeconds = numberFrom("HEDDLE_TIMING_SECONDS", replaySeconds);
  mostCopies = size_t(numberFrom("HEDDLE_TIMING_COPIES", 0));
  if (const char *file = std::getenv("HEDDLE_TIMING_LOG"))
    copyLog.open(file);
  process = getpid();
  // Programs that this one starts are none of our business.
  unsetenv("LD_PRELOAD");
  unsetenv("HEDDLE_TIMING");
  unsetenv("HEDDLE_TIMING_LOG");
}

bool Recorder::isOn() const { return !reportFile.empty() && !finished && getpid() == process; }

void Recorder::failed(const std::string &what, cudaError_t status) {
  if (error.empty() && status != cudaSuccess)
    error = what + ": " + REAL(cudaGetErrorString)(status);
}

Configuration &Recorder::configurationOf(const Launch &launch, bool mayWait) {
  std::string kernel = nameOf(launch.function);
  if (kernel.empty())
    kernel = "?";
  Configuration *&known = byShape[shapeOf(kernel, launch)];
  if (known)
    return *known;
  // Asking for attributes loads the kernel, which would otherwise happen between the first launch's events.
  Needs needs = needsOf(launch);
  configurations.push_back({std::move(kernel), KeptLaunch(launch), needs, {}, 0, 0, {}, {}, {}});
  known = &configurations.back();
  if (mayWait && known->first.canBeMade())
    known->before = replayMemory.take();
  return *known;
}

cudaError_t Recorder::launch(const Launch &launch) {
  if (!isOn())
    return launch.make();
  std::lock_guard<std::recursive_mutex> lock(guard);
  const bool capturing = trace::isCapturing(launch.stream);
  const bool isFirst = configurations.empty();
  Configuration &configuration = configurationOf(launch, !capturing);
  logLaunch(configuration.kernel, launch);
  ++(capturing ? configuration.inGraphs : configuration.launches);
  const bool timed = !capturing && configuration.pairs.size() < kMostOwnSamples;
  if (timed)
    configuration.pairs.emplace_back().begin(launch.stream);
  cudaError_t status = launch.make();
  if (timed)
    configuration.pairs.back().end(launch.stream);
  failed("launch of " + configuration.kernel, status);
  if (isFirst) {
    std::atexit(finishAtExit);
    at_quick_exit(finishAtExit);
  }
  return status;
}

void Recorder::graphLaunched() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isOn())
    return;
  for (Configuration &configuration : configurations) {
    configuration.launches += configuration.inGraphs;
    if (configuration.inGraphs && !configuration.before.taken)
      configuration.before = replayMemory.take();
  }
}

cudaError_t Recorder::allocate(const MemoryRequest &request, const Call &call) {
  cudaError_t status = call();
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (status == cudaErrorMemoryAllocation && replayMemory.giveBack()) {
    REAL(cudaGetLastError)();
    status = call();
  }
  if (status == cudaSuccess && isOn()) {
    replayMemory.givenOut(*request.pointer);
    trace::Recorder::allocate(request, [] { return cudaSuccess; });
  }
  return status;
}

void Recorder::copiedToHost(const trace::Rows &rows) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  uint64_t hash = kHashBegin;
  const auto *row = static_cast<const uint8_t *>(rows.to);
  for (size_t y = 0; y < rows.height; ++y, row += rows.pitch)
    hash = mixed(hash, row, rows.widthBytes);
  copies.emplace_back(rows.widthBytes * rows.height, hash);
  logCopy(rows);
  // What programs do then is to check on the host, for minutes, what comparing bits has settled.
  if (isOn() && copies.size() == mostCopies) {
    finish();
    trace::real<void(int)>("_exit")(0);
  }
}

/// Freeing, for the program, waits for the device and returns earlier errors.
cudaError_t Recorder::free(void *pointer, const Call &call) {
  return pointer && isFreedLater(pointer) ? REAL(cudaDeviceSynchronize)() : call();
}

/// Work that was queued before may still use it, which is why it is not even marked while a graph is made.
cudaError_t Recorder::freeAsync(void *pointer, cudaStream_t stream, const Call &call) {
  return trace::isDone(stream) && isFreedLater(pointer) ? cudaSuccess : call();
}

bool Recorder::isFreedLater(void *pointer) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isOn())
    return false;
  const trace::Allocation *known = memory.beginningAt(pointer);
  if (known && known->bytes && known->kind == MemoryKind::Managed)
    copyManaged(*memory.find(reinterpret_cast<uint64_t>(pointer)));
  return replayMemory.freed(pointer);
}

/// Copied in parts: reading managed memory here would move it to the host, and replays would begin with
/// moving it back.
void Recorder::copyManaged(const trace::Piece &piece) {
  const char *place = reinterpret_cast<const char *>(piece.address);
  std::vector<char> staging(std::min(size_t(piece.bytes), kStagingBytes));
  std::vector<uint8_t> all;
  uint64_t hash = kHashBegin;
  for (size_t done = 0; done < piece.bytes; done += staging.size()) {
    size_t part = std::min(size_t(piece.bytes) - done, staging.size());
    REAL(cudaMemcpy)(staging.data(), place + done, part, cudaMemcpyDefault);
    hash = mixed(hash, staging.data(), part);
    if (copyLog.isOn())
      all.insert(all.end(), staging.begin(), staging.begin() + ptrdiff_t(part));
  }
  copies.emplace_back(piece.bytes, hash);
  if (copyLog.isOn())
    copyLog.copied(copyLog.nextSequence(), piece, piece.address, std::move(all), piece.bytes);
}

bool Recorder::timeOnce(Configuration &configuration, double &micros) {
  if (!replayMemory.restore(configuration.before))
    return false;
  Gate gate;
  EventPair pair;
  gate.close(nullptr);
  pair.begin(nullptr);
  cudaError_t status = configuration.first.make();
  pair.end(nullptr);
  gate.open();
  if (status != cudaSuccess || REAL(cudaDeviceSynchronize)() != cudaSuccess)
    return false;
  micros = pair.micros();
  return micros >= 0;
}

double Recorder::secondsLeft() const { return replaysBegan + replaySeconds - secondsNow(); }

void Recorder::replay(Configuration &configuration) {
  double micros = 0;
  for (unsigned i = 0; i < warmUps + rounds && secondsLeft() > 0; ++i) {
    if (!timeOnce(configuration, micros))
      return;
    if (i >= warmUps)
      configuration.replayed.push_back(micros);
  }
}

/// What takes longest first, in case that time runs out.
void Recorder::replayAll() {
  std::vector<Configuration *> wanted;
  for (Configuration &configuration : configurations)
    if (configuration.own.size() < rounds && configuration.first.canBeMade())
      wanted.push_back(&configuration);
  auto weight = [](const Configuration *c) { return c->own.empty() ? 0 : c->own[0] * double(c->launches); };
  std::stable_sort(wanted.begin(), wanted.end(),
                   [&](const Configuration *a, const Configuration *b) { return weight(a) > weight(b); });
  Silence silence;
  replaysBegan = secondsNow();
  for (Configuration *configuration : wanted)
    replay(*configuration);
}

void Recorder::writeReport(bool replayed) const {
  const std::string fresh = reportFile + ".new";
  FILE *out = std::fopen(fresh.c_str(), "w");
  if (!out)
    return;
  std::fprintf(out,
               "{\"schema\":\"heddle.timing/1\",\"device\":%s,\"error\":%s,\"replayed\":%s,\n\"copies\":[",
               quoted(deviceName()).c_str(), quoted(error).c_str(), replayed ? "true" : "false");
  for (size_t i = 0; i < copies.size(); ++i)
    std::fprintf(out, "%s[%zu,\"%016llx\"]", i ? "," : "", copies[i].first,
                 (unsigned long long)copies[i].second);
  std::fprintf(out, "],\n\"kernels\":[");
  const char *separator = "";
  for (const Configuration &c : configurations) {
    const Launch &launch = c.first.original();
    std::fprintf(
        out,
        "%s\n{\"kernel\":%s,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"launches\":%llu,"
        "\"registers\":%d,\"local_bytes\":%zu,\"shared_bytes\":%zu,\"occupancy\":%.1f,\"restored\":%s,"
        "\"micros\":[",
        separator, quoted(c.kernel).c_str(), launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
        launch.block.y, launch.block.z, (unsigned long long)c.launches, c.needs.registers, c.needs.localBytes,
        c.needs.sharedBytes, c.needs.occupancy, c.before.taken ? "true" : "false");
    for (size_t i = 0; i < c.samples().size(); ++i)
      std::fprintf(out, "%s%.3f", i ? "," : "", c.samples()[i]);
    std::fprintf(out, "]}");
    separator = ",";
  }
  std::fprintf(out, "]}\n");
  if (std::fclose(out) == 0)
    std::rename(fresh.c_str(), reportFile.c_str());
}

void Recorder::finish() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isOn() || configurations.empty())
    return;
  finished = true;
  const std::string last = configurations.back().kernel;
  failed("after the launch of " + last, REAL(cudaDeviceSynchronize)());
  if (error.empty())
    for (const trace::Piece &piece : replayMemory.managed())
      copyManaged(piece);
  // Recorded into a graph that was never launched.
  configurations.erase(std::remove_if(configurations.begin(), configurations.end(),
                                      [](const Configuration &c) { return c.launches == 0; }),
                       configurations.end());
  for (Configuration &configuration : configurations)
    for (const EventPair &pair : configuration.pairs)
      if (double micros = pair.micros(); micros >= 0)
        configuration.own.push_back(micros);
  writeReport(false);
  if (error.empty())
    replayAll();
  if (error.empty())
    writeReport(true);
}

} // namespace heddle::timing

namespace heddle::trace {

Recorder &Recorder::instance() { return timing::Recorder::instance(); }

} // namespace heddle::trace
