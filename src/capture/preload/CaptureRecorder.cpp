// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a launch is captured:
//  1. From its first allocation on, the program gets memory from FixedMemory. Everything else is passed on.
//  2. At the launch the device is synchronized, so that nothing else runs and all queued work is done.
//  3. Parameters, variables and what can be reached from them are saved; the launch is made; what it left is saved.
//  4. launch.txt is written last: a folder without it holds no capture.
// A launch that cannot be captured is made all the same, and the result file says why: the program never notices, except
// that it takes longer.
#include "capture/preload/CaptureRecorder.h"

#include "capture/CaptureFolder.h"
#include "support/Demangle.h"
#include "support/KernelPattern.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace heddle::capture {
namespace {

using trace::Launch;
using trace::MemoryKind;

/// Rows of pitched memory begin at multiples of this.
constexpr size_t kPitchBytes = 512;

/// How often a program is looked at whether it is at rest.
constexpr auto kPauseBetweenLooks = std::chrono::milliseconds(50);

void finishAtExit() { CaptureRecorder::instance().finish(); }

Dimensions dimensionsOf(const dim3 &size) { return {size.x, size.y, size.z}; }

RegionKind kindOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device: return RegionKind::Device;
  case MemoryKind::Managed: return RegionKind::Managed;
  case MemoryKind::Pinned: return RegionKind::Pinned;
  }
  return RegionKind::Device;
}

/// The parameters with their offsets; nothing where their sizes are not known (before CUDA 12.4).
std::optional<std::vector<Parameter>> parametersOf(const Launch &launch) {
  const auto arguments = trace::argumentsOf(launch);
  if (!arguments)
    return std::nullopt;
  std::vector<Parameter> parameters;
  for (const trace::ArgumentBytes &argument : *arguments) {
    const auto *value = static_cast<const unsigned char *>(argument.data);
    parameters.push_back({argument.offset, {value, value + argument.bytes}});
  }
  return parameters;
}

/// What an attribute means for a replay; others (priorities, events) mean nothing for one launch by itself.
void addAttributes(const Launch &launch, Manifest &manifest) {
  manifest.cooperative = launch.way == trace::Way::Cooperative;
  for (const cudaLaunchAttribute &attribute : launch.attributes)
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      manifest.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
    else if (attribute.id == cudaLaunchAttributeCooperative)
      manifest.cooperative = attribute.val.cooperative != 0;
}

/// Half of a capture is none.
void discard(const std::string &folder) {
  std::error_code ignored;
  for (const char *file : {"launch.txt", "memory.bin", "memory.index"})
    std::filesystem::remove(std::filesystem::path(folder) / file, ignored);
  std::filesystem::remove(folder, ignored); // where nothing else is in it
}

/// A texture or surface object among the parameters that a capture does not have. Their numbers are small, as sizes are: the
/// parameter's type decides, which the kernel's name has.
bool hasOneOf(const std::vector<uint64_t> &objects, const std::vector<Parameter> &parameters,
              const std::string &kernel) {
  if (demangled(kernel).find("unsigned long long") == std::string::npos)
    return false;
  for (const Parameter &parameter : parameters) {
    uint64_t value = 0;
    if (parameter.bytes.size() != sizeof value)
      continue;
    std::memcpy(&value, parameter.bytes.data(), sizeof value);
    if (std::find(objects.begin(), objects.end(), value) != objects.end())
      return true;
  }
  return false;
}

bool isSimulator() { return trace::real<uint64_t()>("__heddleThreadInstructions") != nullptr; }

} // namespace

CaptureRecorder &CaptureRecorder::instance() {
  static auto *recorder = new CaptureRecorder;
  return *recorder;
}

CaptureRecorder::CaptureRecorder()
    : settings(Settings::fromEnvironment()), process(getpid()), turn(settings.turnFile) {
  // Programs that this one starts are not captured.
  unsetenv("LD_PRELOAD");
  unsetenv("HEDDLE_CAPTURE");
  unsetenv("HEDDLE_CAPTURE_TURN");
}

bool CaptureRecorder::isOn() const { return !settings.folder.empty() && !finished && getpid() == process; }

bool CaptureRecorder::owns(const void *pointer) const {
  std::lock_guard<std::recursive_mutex> lock(guard);
  return fixed.owns(pointer);
}

// --- Memory ---------------------------------------------------------------------------------------------

cudaError_t CaptureRecorder::allocate(const MemoryRequest &request, const Call &call) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  // Requests for nothing, and wrong ones, are the runtime's affair.
  const size_t rowBytes =
      request.pitch ? (request.rowBytes + kPitchBytes - 1) / kPitchBytes * kPitchBytes : request.rowBytes;
  if (!isOn() || !fixed.whyNot().empty() || !request.pointer || rowBytes * request.rows == 0)
    return trace::Recorder::allocate(request, call);
  void *pointer = fixed.allocate(rowBytes * request.rows, request.kind);
  if (!pointer)
    return fixed.whyNot().empty() ? cudaErrorMemoryAllocation : trace::Recorder::allocate(request, call);
  *request.pointer = pointer;
  if (request.pitch)
    *request.pitch = rowBytes;
  return trace::Recorder::allocate(request, [] { return cudaSuccess; });
}

/// Freeing waits for the device, as the runtime's functions do.
cudaError_t CaptureRecorder::free(void *pointer, const Call &call) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!pointer || !fixed.owns(pointer))
    return trace::Recorder::free(pointer, call);
  const cudaError_t error = REAL(cudaDeviceSynchronize)();
  memory.freed(pointer);
  return fixed.free(pointer) ? error : cudaErrorInvalidValue;
}

/// What a graph allocates and frees keeps its memory: the graph may be launched again.
cudaError_t CaptureRecorder::freeAsync(void *pointer, cudaStream_t stream, const Call &call) {
  if (!pointer || !owns(pointer))
    return trace::Recorder::freeAsync(pointer, stream, call);
  if (trace::isCapturing(stream))
    return cudaSuccess;
  return free(pointer, call);
}

void CaptureRecorder::hostRegistered(void *pointer, size_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  registered[reinterpret_cast<uint64_t>(pointer)] = bytes;
}

void CaptureRecorder::hostUnregistered(void *pointer) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  registered.erase(reinterpret_cast<uint64_t>(pointer));
}

void CaptureRecorder::objectCreated(unsigned long long object, trace::ObjectKind kind) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  textures.created(object, kind);
}

void CaptureRecorder::objectDestroyed(unsigned long long object, trace::ObjectKind kind) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  textures.destroyed(object, kind);
}

LiveMemory CaptureRecorder::liveMemory() const {
  LiveMemory live;
  for (const auto &[address, allocation] : memory.allocations) {
    if (fixed.owns(reinterpret_cast<void *>(address)))
      live.regions.push_back({address, allocation.bytes, kindOf(allocation.kind)});
    else
      live.foreign.push_back({{address, allocation.bytes},
                              "memory at an address that a replay cannot reserve" +
                                  (fixed.whyNot().empty() ? "" : ": " + fixed.whyNot())});
  }
  for (const auto &[address, bytes] : registered)
    live.foreign.push_back({{address, bytes}, "host memory that the program registered by cudaHostRegister"});
  std::set<std::string> known; // a variable may be declared in several files
  for (const trace::DeviceVariable &variable : memory.variables) {
    void *place = nullptr;
    if (REAL(cudaGetSymbolAddress)(&place, variable.symbol) != cudaSuccess)
      REAL(cudaGetLastError)(); // of a module that is not loaded
    else if (known.insert(variable.name).second)
      live.variables.push_back({{variable.name, variable.bytes,
                                 variable.isConstant ? VariableKind::Constant : VariableKind::Device},
                                reinterpret_cast<uint64_t>(place)});
  }
  for (const trace::ManagedVariable &variable : memory.managedVariables)
    if (*variable.place && known.insert(variable.name).second)
      live.variables.push_back({{variable.name, variable.bytes, VariableKind::Managed},
                                reinterpret_cast<uint64_t>(*variable.place)});
  return live;
}

// --- Launches -------------------------------------------------------------------------------------------

cudaError_t CaptureRecorder::launch(const Launch &launch) {
  if (!isOn())
    return launch.make();
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isRegisteredAtExit) { // after the runtime's own handlers, so that it runs before them
    isRegisteredAtExit = true;
    std::atexit(finishAtExit);
    at_quick_exit(finishAtExit);
  }
  if (!turn.isShared() || trace::isCapturing(launch.stream))
    return make(launch);
  takeTurn();
  const cudaError_t error = make(launch);
  turn.launched(launch.stream);
  return error;
}

cudaError_t CaptureRecorder::make(const Launch &launch) {
  const std::string kernel = nameOf(launch.function);
  const bool isForUs = isMeant(kernel, settings.kernel);
  if (!isForUs || trace::isCapturing(launch.stream)) {
    if (isForUs)
      survey.sawInGraph(kernel);
    else
      survey.saw(kernel);
    return launch.make();
  }
  const uint64_t number = ++meant;
  switch (settings.which) {
  case Settings::Which::FirstAndSurvey:
    return number == 1 ? capture(kernel, launch, settings.folder) : survey.measure(kernel, launch, number);
  case Settings::Which::Numbered:
    if (number == settings.number)
      return capture(kernel, launch, settings.folder);
    return survey.makeUnmeasured(kernel, launch, number);
  case Settings::Which::EachShape:
    if (survey.isNew(kernel, launch))
      return capture(
          kernel, launch,
          (std::filesystem::path(settings.folder) / std::to_string(result.captured.size() + 1)).string());
    return survey.makeUnmeasured(kernel, launch, number);
  }
  return launch.make();
}

cudaError_t CaptureRecorder::launchRefused(const Launch &launch, const std::string &why) {
  if (result.refused.empty())
    result.refused = why;
  report();
  return survey.measure(nameOf(launch.function), launch, meant);
}

Manifest CaptureRecorder::manifestOf(const std::string &kernel, const Launch &launch) const {
  Manifest manifest;
  cudaDeviceProp properties = {};
  int device = 0, major = 0, minor = 0;
  REAL(cudaGetDevice)(&device);
  if (REAL(cudaGetDeviceProperties)(&properties, device) == cudaSuccess)
    manifest.device = properties.name;
  if (isSimulator())
    manifest.device = "simulator";
  REAL(cudaDeviceGetAttribute)(&major, cudaDevAttrComputeCapabilityMajor, device);
  REAL(cudaDeviceGetAttribute)(&minor, cudaDevAttrComputeCapabilityMinor, device);
  manifest.arch = settings.arch.empty() ? "sm_" + std::to_string(major * 10 + minor) : settings.arch;
  manifest.program = settings.program;
  manifest.kernel = kernel;
  manifest.name = demangled(kernel);
  manifest.launch = meant;
  manifest.grid = dimensionsOf(launch.grid);
  manifest.block = dimensionsOf(launch.block);
  manifest.sharedBytes = launch.sharedBytes;
  addAttributes(launch, manifest);
  return manifest;
}

cudaError_t CaptureRecorder::capture(const std::string &kernel, const Launch &launch,
                                     const std::string &folder) {
  if (const cudaError_t error = REAL(cudaDeviceSynchronize)(); error != cudaSuccess)
    return launchRefused(launch, std::string("an earlier call failed: ") + REAL(cudaGetErrorString)(error));
  const std::optional<std::vector<Parameter>> parameters = parametersOf(launch);
  if (!parameters)
    return launchRefused(launch, "this CUDA runtime does not report the sizes of parameters; CUDA 12.4 does");
  Manifest manifest = manifestOf(kernel, launch);
  manifest.parameters = *parameters;
  const LiveTextures objects = textures.read();
  if (hasOneOf(objects.notCaptured, *parameters, kernel))
    return launchRefused(
        launch, "it has a texture or surface of a mipmapped array, or a view of one, as a parameter");
  manifest.textures = objects.objects;
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  std::filesystem::remove(std::filesystem::path(folder) / "launch.txt", code);

  MemorySaver saver(folder, liveMemory(), objects);
  if (!saver.saveBefore(*parameters, settings.allMemory)) {
    discard(folder);
    return launchRefused(launch, saver.error());
  }
  const cudaError_t error = survey.measure(kernel, launch, meant);
  if (const cudaError_t ended = REAL(cudaDeviceSynchronize)(); error != cudaSuccess || ended != cudaSuccess) {
    // Where launches of all shapes are wanted, one that the runtime does not accept is none.
    if (error == cudaSuccess || settings.which != Settings::Which::EachShape)
      result.refused = std::string("the launch fails: ") + REAL(cudaGetErrorString)(error ? error : ended);
    discard(folder);
    report();
    return error;
  }
  if (const double cost = survey.lastCost(); cost >= 0 && !isSimulator())
    manifest.micros = cost;
  std::string whyNot;
  if (!saver.saveAfter() || !saver.finish(manifest))
    whyNot = saver.error();
  else
    writeManifest(folder, manifest, whyNot);
  if (whyNot.empty())
    result.captured.push_back({folder, meant});
  else {
    result.refused = whyNot;
    discard(folder);
  }
  if (settings.stops && settings.which == Settings::Which::Numbered) {
    finish();
    trace::real<void(int)>("_exit")(0);
  }
  report();
  return cudaSuccess;
}

// --- Turns on the GPU -----------------------------------------------------------------------------------

void CaptureRecorder::graphLaunched() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isOn() || !turn.isShared())
    return;
  takeTurn();
  turn.launchedUnseen();
}

void CaptureRecorder::takeTurn() {
  turn.take();
  if (isWatched)
    return;
  isWatched = true;
  std::thread([this] {
    // Signals are the program's own, and so are captures of streams, during which other threads may not ask about events.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    if (auto *exchange =
            trace::real<cudaError_t(cudaStreamCaptureMode *)>("cudaThreadExchangeStreamCaptureMode"))
      exchange(&mode);
    do
      std::this_thread::sleep_for(kPauseBetweenLooks);
    while (restWherePossible());
  }).detach();
}

/// False once the program is about to end.
bool CaptureRecorder::restWherePossible() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isOn() || !turn.isAtRest())
    return isOn();
  survey.finish();
  result.isAtRest = true;
  report();
  turn.release();
  return true;
}

// --- The result -----------------------------------------------------------------------------------------

void CaptureRecorder::report() const {
  if (!settings.resultFile.empty())
    writeResult(settings.resultFile, result, survey);
}

void CaptureRecorder::finish() {
  std::lock_guard<std::recursive_mutex> lock(guard);
  if (!isOn())
    return;
  finished = true;
  survey.finish();
  report();
}

} // namespace heddle::capture

namespace heddle::trace {

Recorder &Recorder::instance() { return capture::CaptureRecorder::instance(); }

} // namespace heddle::trace
