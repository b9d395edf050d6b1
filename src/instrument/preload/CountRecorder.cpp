// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How counters are read. Before a launch the device is waited for, counters are set to zero, and the header of the
// kernel's module says where they are; after it the device is waited for, and the header is emptied. Launches are
// therefore one after the other, and what runs in a graph counts nothing.
//
// Counters of a thread block take four bytes for each thread and basic block. Where all blocks would need more than
// HEDDLE_COUNTING_BYTES, or half of the memory that is free, every second, third, ... of them is counted. What is
// written to the file is small: vectors that many threads have are there once, and numbers of warps are sums.
#include "instrument/preload/CountRecorder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace heddle::instrument {
namespace {

/// As on the simulator (cudart/ProgramProfiler): the vector of each thread is kept, and later launches of a kernel
/// rarely do something else.
constexpr unsigned MostCountedLaunches = 16;
constexpr size_t MostBytes = size_t(512) << 20;

/// No header declares it.
using RegisterVariable = void(void **, char *, char *, const char *, int, size_t, int, int);

size_t mostBytes() {
  const char *text = std::getenv("HEDDLE_COUNTING_BYTES");
  return text && *text ? size_t(std::strtoull(text, nullptr, 10)) : MostBytes;
}

CountedLaunch described(const std::string &kernel, const trace::Launch &launch, const Module &module) {
  CountedLaunch counted;
  counted.kernel = kernel;
  counted.image = module.hash;
  for (int i = 0; i < 3; ++i) {
    counted.grid[i] = i == 0 ? launch.grid.x : i == 1 ? launch.grid.y : launch.grid.z;
    counted.block[i] = i == 0 ? launch.block.x : i == 1 ? launch.block.y : launch.block.z;
  }
  counted.dynamicSharedBytes = launch.sharedBytes;
  return counted;
}

/// Our own calls may be made while another thread captures a stream.
class Relaxed {
public:
  Relaxed() { exchange(); }
  ~Relaxed() { exchange(); }
  Relaxed(const Relaxed &) = delete;
  Relaxed &operator=(const Relaxed &) = delete;

private:
  void exchange() {
    static auto *function =
        trace::real<cudaError_t(cudaStreamCaptureMode *)>("cudaThreadExchangeStreamCaptureMode");
    if (function)
      function(&mode);
  }
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
};

} // namespace

CountRecorder &CountRecorder::instance() {
  static auto *recorder = new CountRecorder;
  return *recorder;
}

CountRecorder::CountRecorder() : process(getpid()) {
  Images::instance(); // has read its variables
  // Programs that this one starts are none of our business.
  for (const char *variable : {"LD_PRELOAD", "HEDDLE_COUNTING", "HEDDLE_COUNTING_LIST"})
    unsetenv(variable);
}

bool CountRecorder::isCounting() const {
  return Images::instance().isOn() && !Images::instance().isListing() && getpid() == process;
}

void CountRecorder::opened(void **handle, Module *module) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  current = module;
  const bool hasHeader = !module->image.empty() || module->isMarker;
  if (isCounting() && hasHeader)
    HEDDLE_REAL_AS(RegisterVariable, "__cudaRegisterVar")
  (handle, module->symbol, module->symbol, HeaderName, 0, sizeof module->symbol, 0, 0);
}

void CountRecorder::named(const void *function, std::string name) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  modules[function] = current;
  trace::Recorder::named(function, std::move(name));
}

void CountRecorder::namedAgain(const void *kernel, const void *function) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  modules[kernel] = modules[function];
  trace::Recorder::named(kernel, nameOf(function));
}

cudaError_t CountRecorder::launch(const trace::Launch &launch) {
  if (!isCounting())
    return launch.make();
  std::lock_guard<std::recursive_mutex> lock(guard);
  const std::string kernel = nameOf(launch.function);
  Module *module = modules[launch.function];
  ++number;
  if (!module || !module->kernels.contains(kernel)) {
    skipped(result.unknown[kernel]);
    return launch.make();
  }
  if (trace::isCapturing(launch.stream) || ++launches[kernel] > MostCountedLaunches) {
    skipped(result.skipped[kernel]);
    return launch.make();
  }
  return count(kernel, launch, *module);
}

/// A program may make a hundred thousand such launches: how many there were is written at its end.
void CountRecorder::skipped(uint64_t &count) {
  if (count++ == 0)
    report();
  if (!isRegisteredAtExit)
    std::atexit([] { instance().finish(); });
  isRegisteredAtExit = true;
}

void CountRecorder::finish() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (isCounting())
    report();
}

cudaError_t CountRecorder::count(const std::string &kernel, const trace::Launch &launch, Module &module) {
  const Relaxed relaxed;
  const KernelRows &rows = module.kernels.at(kernel);
  CountedLaunch counted = described(kernel, launch, module);
  counted.number = number;
  const bool isReady = REAL(cudaDeviceSynchronize)() == cudaSuccess && prepare(counted, rows, module);
  const cudaError_t error = launch.make();
  const cudaError_t ended = isReady && error == cudaSuccess ? REAL(cudaDeviceSynchronize)() : cudaSuccess;
  if (error != cudaSuccess)
    refused(kernel, error);
  else if (!isReady || ended != cudaSuccess)
    stopped(kernel, ended);
  else if (read(counted, rows) &&
           writeLaunch(Images::instance().path() + "/launch-" + std::to_string(result.counted), counted))
    ++result.counted;
  if (isReady && ended == cudaSuccess)
    setHeader(module, {});
  report();
  return error;
}

/// The runtime does not accept the launch: there is none. Where that may be due to the registers of the counters, it is reported.
void CountRecorder::refused(const std::string &kernel, cudaError_t error) {
  --launches[kernel];
  --number;
  if (result.error.empty() &&
      (error == cudaErrorLaunchOutOfResources || error == cudaErrorCooperativeLaunchTooLarge))
    result.error =
        "a launch of '" + kernel + "' with counters is refused: " + REAL(cudaGetErrorString)(error);
}

void CountRecorder::stopped(const std::string &kernel, cudaError_t error) {
  ++result.stopped[kernel];
  if (result.error.empty() && error != cudaSuccess)
    result.error = "a launch of '" + kernel + "' fails: " + REAL(cudaGetErrorString)(error);
}

bool CountRecorder::failed(const char *what, cudaError_t error) {
  if (error == cudaSuccess)
    return false;
  REAL(cudaGetLastError)(); // not the program's
  if (result.error.empty())
    result.error = std::string(what) + ": " + REAL(cudaGetErrorString)(error);
  return true;
}

bool CountRecorder::setHeader(const Module &module, const Header &value) {
  return !failed("the header of the counters",
                 REAL(cudaMemcpyToSymbol)(module.symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice));
}

bool CountRecorder::makeRoom(size_t bytes) {
  if (bytes <= bufferBytes)
    return true;
  REAL(cudaFree)(buffer);
  buffer = nullptr;
  bufferBytes = 0;
  if (failed("memory for counters", REAL(cudaMalloc)(&buffer, bytes)))
    return false;
  bufferBytes = bytes;
  return true;
}

bool CountRecorder::prepare(const CountedLaunch &counted, const KernelRows &rows, const Module &module) {
  size_t free = 0, total = 0;
  if (failed("memory for counters", REAL(cudaMemGetInfo)(&free, &total)))
    return false;
  const std::optional<Layout> found =
      layoutOf(counted, rows, std::min(mostBytes(), std::max(free / 2, bufferBytes)));
  if (!found)
    return false;
  layout = *found;
  return makeRoom(layout.bytes()) && !failed("counters", REAL(cudaMemset)(buffer, 0, layout.bytes())) &&
         setHeader(module, layout.header(reinterpret_cast<uint64_t>(buffer))) &&
         !failed("counters", REAL(cudaDeviceSynchronize)());
}

bool CountRecorder::read(CountedLaunch &counted, const KernelRows &rows) {
  std::vector<uint32_t> all(layout.bytes() / sizeof(uint32_t));
  if (failed("counters", REAL(cudaMemcpy)(all.data(), buffer, layout.bytes(), cudaMemcpyDeviceToHost)))
    return false;
  sumUp(counted, rows, layout, all);
  return true;
}

void CountRecorder::report() {
  if (result.device.empty()) {
    cudaDeviceProp properties = {};
    int device = 0;
    if (REAL(cudaGetDevice)(&device) == cudaSuccess &&
        REAL(cudaGetDeviceProperties)(&properties, device) == cudaSuccess)
      result.device = properties.name;
  }
  writeResult(Images::instance().path() + "/result", result);
}

/// What the device has goes with the reset.
void CountRecorder::ending() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  buffer = nullptr;
  bufferBytes = 0;
}

} // namespace heddle::instrument

namespace heddle::trace {

Recorder &Recorder::instance() { return instrument::CountRecorder::instance(); }

} // namespace heddle::trace
