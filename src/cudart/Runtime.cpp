// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudart/Runtime.h"

#include "arch/Occupancy.h"
#include "check/Locations.h"
#include "cudart/AccessWatch.h"
#include "cudart/Counting.h"
#include "cudart/ProgramCheck.h"
#include "cudart/ProgramProfiler.h"
#include "cudart/Registers.h"
#include "cudart/WriteWatcher.h"
#include "support/ExitCode.h"
#include "support/Files.h"
#include "vm/Engine.h"
#include "vm/Independence.h"
#include "vm/ObserverPair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <list>
#include <thread>
#include <unistd.h>

namespace heddle::cudart {

thread_local cudaError_t lastError = cudaSuccess;
thread_local std::string wrongArguments;
thread_local bool nullStreamIsPerThread = false;

namespace {

/// What the H200 of CUDA 13 answers before anybody changes it (cudaDeviceGetLimit).
constexpr size_t kDefaultLimits[8] = {1024, 8650752, 8388608, 0, 2048, 64, 0, 0};

/// A stack of one thread costs nothing until it is used, so the simulator has more than programs ask for.
constexpr uint32_t kSimulatorStackBytes = 512 * 1024;
/// Enough for what the test machines of today's programs assume; pages are taken when touched.
constexpr uint64_t kMemoryBytes = uint64_t(80) << 30;

vm::Dim3 toDim3(const std::array<unsigned, 3> &sizes) { return {sizes[0], sizes[1], sizes[2]}; }
vm::Dim3 toDim3(const dim3 &d) { return {d.x, d.y, d.z}; }

vm::Limits limitsOf(const arch::Arch &arch, const Settings &settings) {
  vm::Limits limits;
  limits.stackBytesPerThread = kSimulatorStackBytes;
  limits.memoryBytes = kMemoryBytes;
  limits.cores = settings.cores;
  if (arch.name.empty())
    return limits;
  limits.computeCapability = arch.major * 10 + arch.minor;
  limits.multiprocessors = arch.deviceSms;
  limits.maxThreadsPerBlock = arch.maxThreadsPerBlock;
  limits.maxThreadsPerMultiprocessor = arch.maxThreadsPerSm;
  limits.maxBlocksPerMultiprocessor = arch.maxBlocksPerSm;
  limits.maxBlock = toDim3(arch.maxBlockDim);
  limits.maxGrid = toDim3(arch.maxGridDim);
  limits.maxSharedBytesPerBlock = arch.maxSharedBytesPerBlockOptIn;
  return limits;
}

cudaError_t errorOf(const vm::LaunchResult &result) {
  if (result.status == vm::LaunchStatus::Refused)
    return cudaErrorLaunchOutOfResources;
  if (!result.fault)
    return cudaErrorLaunchFailure;
  switch (result.fault->kind) {
  case vm::FaultKind::OutOfBounds:
  case vm::FaultKind::UseAfterFree:
  case vm::FaultKind::ReadOnly: return cudaErrorIllegalAddress;
  case vm::FaultKind::Misaligned: return cudaErrorMisalignedAddress;
  case vm::FaultKind::WrongSpace: return cudaErrorInvalidAddressSpace;
  case vm::FaultKind::StackOverflow: return cudaErrorHardwareStackError;
  case vm::FaultKind::BadCall: return cudaErrorInvalidPc;
  case vm::FaultKind::AssertFailed: return cudaErrorAssert;
  case vm::FaultKind::Unsupported: return cudaErrorNotSupported;
  case vm::FaultKind::Deadlock:
  case vm::FaultKind::Timeout: return cudaErrorLaunchTimeout;
  case vm::FaultKind::BarrierMisuse:
  case vm::FaultKind::MbarrierMisuse:
  case vm::FaultKind::WarpSyncMisuse:
  case vm::FaultKind::Trap: return cudaErrorLaunchFailure;
  }
  return cudaErrorLaunchFailure;
}

bool fits(const dim3 &size, const std::array<unsigned, 3> &most) {
  return size.x && size.y && size.z && size.x <= most[0] && size.y <= most[1] && size.z <= most[2];
}

/// With the kernel's name as the source has it.
vm::Fault readable(vm::Fault fault) {
  fault.kernel = check::readableKernel(fault.kernel);
  return fault;
}

/// Whether --timeout stopped a kernel.
std::atomic<bool> hasTimedOut{false};

/// With --timeout, a program that goes on after a kernel was stopped, for instance one that waits for a
/// result that never comes, is given as much time again, and not less than this.
constexpr double LeastSecondsToEnd = 5;

uint64_t countOf(const dim3 &size) { return uint64_t(size.x) * size.y * size.z; }

} // namespace

Runtime &Runtime::instance() {
  static Runtime *runtime = [] {
    Settings settings = Settings::fromEnvironment();
    Diagnostics diagnostics;
    std::optional<arch::Arch> arch = arch::findArch(settings.arch, diagnostics);
    if (!arch)
      reportFailure(diagnostics);
    return new Runtime(settings, arch.value_or(arch::Arch()),
                       arch ? cudaSuccess : cudaErrorInitializationError);
  }();
  return *runtime;
}

/// Runs when the library goes, after the program's own exit handlers.
__attribute__((destructor)) static void finishAtExit() { Runtime::instance().finish(); }

Runtime::Runtime(Settings given, arch::Arch table, cudaError_t startError)
    : settings(std::move(given)), arch(std::move(table)),
      simulatorOwner(new vm::Simulator(limitsOf(arch, settings), this)), simulator(*simulatorOwner),
      modules(simulator, arch.name.empty() ? 90 : arch.major * 10 + arch.minor) {
  sticky = startError;
  std::copy(std::begin(kDefaultLimits), std::end(kDefaultLimits), limits);
  if (!settings.copyLog.empty() && !copyLog.open(settings.copyLog))
    reportFailure("'" + settings.copyLog + "' cannot be written: " + std::strerror(copyLog.error()));
  if (!settings.checkFile.empty())
    check = std::make_unique<ProgramCheck>(settings.checkFile, simulator.memory(), settings.checkAssume);
  if (!settings.profileFile.empty())
    profile = std::make_unique<ProgramProfiler>(settings.profileFile, arch);
  if (!settings.countersFile.empty())
    counting = std::make_unique<ProgramCounting>(settings.countersFile, arch);
  if (!settings.accessesFile.empty())
    accesses = std::make_unique<AccessWatch>(settings.accessesFile, arch);
  if (settings.watchAllocation)
    watcher =
        std::make_unique<WriteWatcher>(simulator.memory(), *settings.watchAllocation, settings.watchOffset,
                                       settings.watchBytes, settings.watchLaunches);
}

void Runtime::finish() {
  streams.waitForAll();
  hostHasWaited();
  writeResults(true);
}

void Runtime::writeResults(bool isComplete) {
  writeSummary();
  if (check)
    check->write(isComplete);
  if (profile)
    profile->write();
  if (counting)
    counting->write();
  if (accesses)
    accesses->write();
}

void Runtime::deviceFailed(cudaError_t error) {
  int none = cudaSuccess;
  sticky.compare_exchange_strong(none, error);
}

Stream *Runtime::resolve(cudaStream_t stream) {
  if (stream == cudaStreamPerThread || (!stream && nullStreamIsPerThread)) {
    thread_local Stream *own = streams.create(0, 0);
    return own;
  }
  if (!stream || stream == cudaStreamLegacy)
    return streams.legacy();
  auto *known = reinterpret_cast<Stream *>(stream);
  return streams.knows(known) ? known : nullptr;
}

/// A prepared launch. The host may give it to streams more than once, as a part of a graph.
struct Runtime::Launch {
  Runtime *runtime;
  const KernelEntry *entry;
  vm::LaunchRequest request;
  uint64_t number = 0; ///< for the checker: among the launches of the kernel; 0: not given yet

  void operator()() const {
    if (runtime->logsCopies())
      runtime->noteArguments(*entry, vm::infoOf(*request.kernel), request.parameters);
    runtime->execute(request, number);
  }
};

cudaError_t Runtime::submit(cudaStream_t handle, std::function<void()> work, std::vector<TicketRef> after) {
  Stream *stream = resolve(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (Capture *capture = captures.of(stream)) {
    capture->graph->nodes.push_back({cudaGraphNodeTypeKernel, std::move(work), {}, capture->graph});
    return cudaSuccess;
  }
  // Streams run in any order: launches are numbered here, in the order of the host's calls.
  if (Launch *launch = check ? work.target<Launch>() : nullptr)
    launch->number = check->nextLaunchOf(vm::infoOf(*launch->request.kernel).name);
  streams.enqueue(
      stream,
      [this, work = std::move(work)] {
        // After a fault nothing more runs.
        if (deviceError() == cudaSuccess && work)
          work();
      },
      std::move(after));
  return cudaSuccess;
}

cudaError_t Runtime::perform(cudaStream_t handle, std::function<void()> work) {
  Stream *stream = resolve(handle);
  if (stream && captures.of(stream))
    return cudaErrorStreamCaptureUnsupported;
  if (cudaError_t error = submit(handle, std::move(work)))
    return error;
  return synchronize(stream);
}

cudaError_t Runtime::synchronize(Stream *stream) {
  // The legacy stream is as far as every stream that it waits for: an empty piece of work says when.
  streams.wait(stream->isLegacy ? streams.enqueue(stream, [] {}) : streams.newest(stream));
  hostHasWaited();
  return deviceError();
}

void Runtime::forgetCode() {
  if (profile)
    profile->forgetCode();
  if (counting)
    counting->forgetCode();
  if (accesses)
    accesses->forgetCode();
}

cudaError_t Runtime::synchronizeAll() {
  streams.waitForAll();
  hostHasWaited();
  return deviceError();
}

namespace {

trace::Piece pieceOf(const vm::Allocation &allocation) {
  const bool hostReads =
      allocation.kind == vm::AllocationKind::Managed || allocation.kind == vm::AllocationKind::Pinned;
  return {allocation.id, allocation.address, allocation.bytes, hostReads, allocation.name};
}

std::optional<trace::Piece> pieceAt(const vm::Memory &memory, uint64_t address) {
  std::optional<vm::Allocation> allocation = memory.find(address);
  return allocation ? std::optional(pieceOf(*allocation)) : std::nullopt;
}

std::vector<trace::Piece> readableByHost(const vm::Memory &memory) {
  std::vector<trace::Piece> pieces;
  for (const vm::Allocation &allocation : memory.live())
    if (trace::Piece piece = pieceOf(allocation); piece.hostReads)
      pieces.push_back(std::move(piece));
  return pieces;
}

} // namespace

void Runtime::hostHasWaited() {
  output.flush();
  // What a program does with results of launches that were executed in part is of no interest, and may not end.
  if (counting && settings.countedBlocks)
    counting->writeNew();
  if (logsCopies())
    copyLog.hostHasWaited([&] { return readableByHost(simulator.memory()); });
}

bool Runtime::isDeviceMemory(const void *pointer, size_t bytes) const {
  return simulator.memory().isAccessible(reinterpret_cast<uint64_t>(pointer), bytes);
}

namespace {

/// Every device that has clusters allows this many blocks; a kernel may ask for twice as many.
constexpr uint64_t kPortableClusterBlocks = 8;

uint64_t mostClusterBlocks(const KernelEntry &entry) {
  return entry.nonPortableCluster ? 2 * kPortableClusterBlocks : kPortableClusterBlocks;
}

/// A launch without clusters takes those of __cluster_dims__.
vm::Dim3 clusterOf(const LaunchShape &shape, const vm::KernelInfo &info) {
  return shape.cluster.count() == 1 && info.requiredCluster.x ? info.requiredCluster : shape.cluster;
}

bool hasOtherCluster(const LaunchShape &shape, const vm::KernelInfo &info) {
  return info.requiredCluster.x && clusterOf(shape, info) != info.requiredCluster;
}

bool hasOtherBlock(const LaunchShape &shape, const vm::KernelInfo &info) {
  return info.requiredBlock.x && vm::Dim3(toDim3(shape.block)) != info.requiredBlock;
}

cudaError_t checkCluster(const LaunchShape &shape, const vm::KernelInfo &info, const KernelEntry &entry) {
  if (hasOtherCluster(shape, info))
    return cudaErrorInvalidClusterSize;
  const vm::Dim3 cluster = clusterOf(shape, info);
  if (cluster.count() == 0 || cluster.count() > mostClusterBlocks(entry))
    return cudaErrorInvalidClusterSize;
  bool whole =
      shape.grid.x % cluster.x == 0 && shape.grid.y % cluster.y == 0 && shape.grid.z % cluster.z == 0;
  return whole ? cudaSuccess : cudaErrorInvalidClusterSize;
}

} // namespace

cudaError_t Runtime::prepare(KernelEntry &entry, const LaunchShape &shape, void **arguments,
                             std::function<void()> &work) {
  cudaError_t error = cudaSuccess;
  const vm::Kernel *kernel = modules.ready(entry, error);
  if (!kernel)
    return error;
  const vm::KernelInfo &info = vm::infoOf(*kernel);
  uint64_t threads = countOf(shape.block);
  unsigned mostThreads =
      info.maxThreads ? std::min(info.maxThreads, arch.maxThreadsPerBlock) : arch.maxThreadsPerBlock;
  // CUDA 13 answers all of these with "invalid value".
  if (!fits(shape.grid, arch.maxGridDim) || !fits(shape.block, arch.maxBlockDim) || threads > mostThreads)
    return cudaErrorInvalidValue;
  size_t sharedAllowed = entry.maxDynamicSharedBytes >= 0
                             ? info.staticSharedBytes + size_t(entry.maxDynamicSharedBytes)
                             : arch.maxSharedBytesPerBlock;
  if (info.staticSharedBytes + shape.dynamicSharedBytes > sharedAllowed)
    return cudaErrorInvalidValue;
  if (hasOtherBlock(shape, info))
    return cudaErrorInvalidValue;
  if (cudaError_t wrong = checkCluster(shape, info, entry))
    return wrong;
  if (shape.cooperative) {
    arch::KernelResources resources{unsigned(threads), registersOf(arch, info), info.staticSharedBytes,
                                    shape.dynamicSharedBytes};
    if (countOf(shape.grid) > uint64_t(arch::occupancy(arch, resources).blocksPerSm) * arch.deviceSms)
      return cudaErrorCooperativeLaunchTooLarge;
  }

  vm::LaunchRequest request;
  request.kernel = kernel;
  request.grid = toDim3(shape.grid);
  request.block = toDim3(shape.block);
  request.dynamicSharedBytes = uint32_t(shape.dynamicSharedBytes);
  request.cooperative = shape.cooperative;
  request.cluster = shape.cluster;
  request.cores = settings.cores;
  request.scheduleSeed = settings.scheduleSeed;
  request.maxSeconds = settings.timeoutSeconds;
  if (counting && settings.countedBlocks && vm::areBlocksIndependent(*kernel))
    request.sampleBlocks = settings.countedBlocks;
  request.parameters.resize(info.parameterBytes);
  for (size_t i = 0; i < info.parameters.size(); ++i)
    std::memcpy(request.parameters.data() + info.parameters[i].offset, arguments[i],
                info.parameters[i].bytes);
  work = Launch{this, &entry, std::move(request)};
  return cudaSuccess;
}

// --- what the host reports to the checker -----------------------------------------------------------------

/// `signature`: "cudaError_t cudaMalloc(void **, size_t)". Helpers of ours have other names, and callers.
void Runtime::noteFailedCall(std::string_view signature, cudaError_t error) {
  std::string_view name = signature.substr(0, signature.find('('));
  name = name.substr(name.find_last_of(" *") + 1);
  if (name.starts_with("cuda"))
    check->failed(std::string(name), errorName(error), {}, std::exchange(wrongArguments, {}));
}

namespace {

std::string extentsOf(const vm::Dim3 &size) { return fmt::format("{} x {} x {}", size.x, size.y, size.z); }

std::string whyNotThisCluster(const KernelEntry &entry, const vm::KernelInfo &info,
                              const LaunchShape &shape) {
  if (hasOtherCluster(shape, info))
    return fmt::format("the kernel requires clusters of {} blocks (__cluster_dims__)",
                       extentsOf(info.requiredCluster));
  return fmt::format("each grid dimension must be a multiple of the cluster's ({}), and a cluster has at "
                     "most {} blocks{}",
                     extentsOf(clusterOf(shape, info)), mostClusterBlocks(entry),
                     entry.nonPortableCluster
                         ? ""
                         : fmt::format("; cudaFuncAttributeNonPortableClusterSizeAllowed allows {}",
                                       2 * kPortableClusterBlocks));
}

/// What to do about "invalid value", the answer of CUDA 13 to most launches that it refuses.
std::string whyNotTheseValues(const arch::Arch &arch, const vm::KernelInfo &info, const LaunchShape &shape) {
  const uint64_t threads = countOf(shape.block);
  if (!countOf(shape.grid))
    return "the grid has no blocks: leave the launch out where there is nothing to do, or round the number "
           "of blocks up";
  if (!threads)
    return "the block has no threads";
  if (!fits(shape.grid, arch.maxGridDim))
    return fmt::format("{} allows a grid of {} blocks", arch.name, fmt::join(arch.maxGridDim, " x "));
  if (!fits(shape.block, arch.maxBlockDim) || threads > arch.maxThreadsPerBlock)
    return fmt::format("{} allows {} threads per block, and {} of them along x, y and z", arch.name,
                       arch.maxThreadsPerBlock, fmt::join(arch.maxBlockDim, ", "));
  if (hasOtherBlock(shape, info))
    return fmt::format("the kernel requires blocks of {} threads (.reqntid)", extentsOf(info.requiredBlock));
  if (info.maxThreads && threads > info.maxThreads)
    return fmt::format("__launch_bounds__ of this kernel allows {} threads per block", info.maxThreads);
  return fmt::format("{} allows {} bytes of shared memory per block, and {} after "
                     "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)",
                     arch.name, arch.maxSharedBytesPerBlock, arch.maxSharedBytesPerBlockOptIn);
}

/// Why this launch was refused, and what to do. Nothing for an error that does not come from its shape.
std::string whyRefused(cudaError_t error, const arch::Arch &arch, const KernelEntry &entry,
                       const LaunchShape &shape) {
  if (!entry.kernel)
    return {};
  const vm::KernelInfo &info = vm::infoOf(*entry.kernel);
  switch (error) {
  case cudaErrorInvalidClusterSize: return whyNotThisCluster(entry, info, shape);
  case cudaErrorCooperativeLaunchTooLarge:
    return "all blocks of a cooperative launch have to be resident at once: "
           "cudaOccupancyMaxActiveBlocksPerMultiprocessor() returns how many can be";
  case cudaErrorInvalidValue: return whyNotTheseValues(arch, info, shape);
  default: return {};
  }
}

} // namespace

void Runtime::noteFailedLaunch(const KernelEntry &entry, const LaunchShape &shape, cudaError_t error) {
  // What the simulator cannot execute is its own failure, and reported where it happens.
  if (!check || error == cudaErrorNotSupported || error == cudaErrorInvalidDeviceFunction)
    return;
  auto text = [](const dim3 &size) { return fmt::format("({}, {}, {})", size.x, size.y, size.z); };
  check->failed("cudaLaunchKernel", errorName(error),
                fmt::format("launch of '{}' with grid {}, block {} and {} bytes of dynamic shared memory",
                            check::readableKernel(entry.name), text(shape.grid), text(shape.block),
                            shape.dynamicSharedBytes),
                whyRefused(error, arch, entry, shape), check::readableKernel(entry.name));
}

void Runtime::noteErrorSeen() {
  if (check)
    check->errorSeen();
}

cudaError_t Runtime::launch(KernelEntry &entry, const LaunchShape &shape, void **arguments,
                            cudaStream_t stream) {
  std::function<void()> work;
  if (cudaError_t error = prepare(entry, shape, arguments, work))
    return error;
  return submit(stream, std::move(work));
}

/// A launch of a dry run has an observer that sees its shape, and does nothing.
vm::LaunchResult Runtime::carryOut(const vm::LaunchRequest &request, vm::Observer *observer) {
  if (!settings.isDry)
    return simulator.launch(request, observer);
  vm::LaunchResult nothing;
  if (observer) {
    observer->kernelBegin(request, vm::infoOf(*request.kernel), launches + 1);
    observer->kernelEnd(nothing);
  }
  return nothing;
}

void Runtime::execute(const vm::LaunchRequest &request, uint64_t number) {
  if (check)
    check->beforeWork(number ? number : check->nextLaunchOf(vm::infoOf(*request.kernel).name));
  const std::unique_ptr<divergence::Profiler> profiler = profile ? profile->watch(request) : nullptr;
  const std::unique_ptr<counts::LaunchCounter> counter = counting ? counting->watch(request) : nullptr;
  if (counter && request.sampleBlocks)
    counter->expectIn(simulator.memory().live());
  const std::unique_ptr<counts::AccessCounter> accessCounter = accesses ? accesses->watch(request) : nullptr;
  std::list<vm::ObserverPair> pairs;
  vm::Observer *observer = check ? check->observer() : watcher.get();
  for (vm::Observer *each :
       {static_cast<vm::Observer *>(profiler.get()), static_cast<vm::Observer *>(counter.get()),
        static_cast<vm::Observer *>(accessCounter.get())})
    if (each)
      observer = observer ? &pairs.emplace_back(*observer, *each) : each;
  vm::LaunchResult result = carryOut(request, observer);
  if (profiler)
    profile->launchEnded(*profiler, request, result);
  if (counter)
    counting->launchEnded(*counter, request, result);
  if (accessCounter)
    accesses->launchEnded(*accessCounter, request, result);
  if (check)
    check->launchEnded();
  {
    std::lock_guard lock(counterGuard);
    ++launches;
    warpInstructions += result.warpInstructions;
    threadInstructions += result.threadInstructions;
    seconds += result.seconds;
  }
  if (result.ok())
    return;
  output.flush();
  if (result.fault && check && result.fault->kind != vm::FaultKind::Timeout)
    noteFailure(); // it is among the findings
  else if (result.fault)
    reportFailure(readable(*result.fault).diagnostic());
  else
    reportFailure(
        Diagnostic{Severity::Error,
                   {},
                   fmt::format("kernel '{}' cannot be launched: {}",
                               check::readableKernel(vm::infoOf(*request.kernel).name), result.refusal),
                   {},
                   result.refusalHint});
  deviceFailed(errorOf(result));
  if (result.status == vm::LaunchStatus::Timeout)
    hasTimedOut = true;
  static std::atomic<bool> isEnding{false};
  if (settings.timeoutSeconds > 0 && !isEnding.exchange(true))
    endLater();
}

/// Ends the program where it does not do so by itself, with what ran until then.
void Runtime::endLater() {
  const double patience = std::max(settings.timeoutSeconds, LeastSecondsToEnd);
  std::thread([this, patience] {
    std::this_thread::sleep_for(std::chrono::duration<double>(patience));
    output.flush();
    report(fmt::format(
        "the program did not end within {} s after a kernel was stopped (--timeout): it is killed",
        patience));
    writeResults(false);
    _exit(ExitRefused);
  }).detach();
}

// --- The copy log -----------------------------------------------------------------------------------------

/// Kernels of heddle::asides (runtime/heddle/regrouping), by their mangled name: what they report to the host is no
/// result of the program's.
static bool isAside(const std::string &kernel) { return kernel.starts_with("_ZN6heddle6asides"); }

void Runtime::noteArguments(const KernelEntry &entry, const vm::KernelInfo &info,
                            const std::vector<uint8_t> &bytes) {
  std::vector<trace::ArgumentBytes> arguments;
  for (const auto &parameter : info.parameters)
    arguments.push_back({bytes.data() + parameter.offset, parameter.bytes, parameter.offset});
  copyLog.launched(
      entry.name, arguments, [&](uint64_t address) { return pieceAt(simulator.memory(), address); },
      !isAside(entry.name));
}

std::function<void()> Runtime::logCopy(const void *to, size_t toPitch, const void *from, size_t fromOffset,
                                       size_t widthBytes, size_t height, const cudaArray *array) {
  const uint64_t sequence = copyLog.nextSequence();
  auto address = reinterpret_cast<uint64_t>(array ? array->data + fromOffset : from);
  return [=, this] {
    // Looked up when the copy is done: the kernels before it in its stream have been noted by then.
    copyLog.copied(sequence, pieceAt(simulator.memory(), address), address,
                   trace::packedRows(to, toPitch, widthBytes, height), widthBytes);
  };
}

// --- The end ----------------------------------------------------------------------------------------------

cudaError_t Runtime::reset() {
  bool failed = deviceError() != cudaSuccess;
  streams.waitForAll();
  hostHasWaited();
  textures.clear();
  for (const vm::Allocation &piece : simulator.memory().live())
    if (piece.kind == vm::AllocationKind::Device || piece.kind == vm::AllocationKind::Managed ||
        piece.kind == vm::AllocationKind::Pinned)
      if (piece.name.empty() && !piece.isMapped) {
        if (check)
          check->freeing(reinterpret_cast<void *>(piece.address));
        simulator.memory().free(reinterpret_cast<void *>(piece.address));
      }
  modules.initializeVariables();
  // A device that faulted is gone for this process; the real one answers so after a reset.
  if (failed)
    sticky = cudaErrorDevicesUnavailable;
  return cudaSuccess;
}

uint64_t Runtime::executedInstructions() {
  std::lock_guard lock(counterGuard);
  return threadInstructions;
}

uint64_t Runtime::executedWarpInstructions() {
  std::lock_guard lock(counterGuard);
  return warpInstructions;
}

void Runtime::writeSummary() {
  if (settings.summaryFile.empty())
    return;
  std::lock_guard lock(counterGuard);
  nlohmann::ordered_json json = {{"launches", launches},
                                 {"threadInstructions", threadInstructions},
                                 {"warpInstructions", warpInstructions},
                                 {"seconds", seconds},
                                 {"failed", anyFailure()},
                                 {"timedOut", hasTimedOut.load()},
                                 {"recordError", copyLog.error()},
                                 {"fixedAddresses", simulator.memory().isAtFixedBase()},
                                 {"functions", vm::executedFunctions().all},
                                 {"compiledFunctions", vm::executedFunctions().compiled}};
  if (watcher)
    if (std::string write = watcher->lastWrite(); !write.empty())
      json["lastWrite"] = nlohmann::ordered_json::parse(write);
  writeFile(settings.summaryFile, json.dump(-1, ' ', false, decltype(json)::error_handler_t::replace) + "\n");
}

} // namespace heddle::cudart
