// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's entry: modules, limits, launches.
//
// A launch is checked against the limits of the device as the driver does it, and refused with the first
// limit that it exceeds. Then:
//
// 1. Parameters are copied into read-only global memory, so that a kernel may take their address; the buffer,
//    and that of the grid barrier, are reused, because a launch may take less time than an allocation.
// 2. A Grid runs on cores of the host (Grid.cpp). An observer that needs one order of events gets one core;
//    otherwise it gets as many as requested, else all of the host, but no more than the grid has blocks.
// 3. Cores run until the grid ends, faults or is stopped; the observer receives events for beginning and end.
//
// Modules are loaded and unloaded under a lock. Textures and printf are Services of the runtime above;
// without one, printf prints nothing and there are no textures.
#include "vm/Simulator.h"

#include "vm/Engine.h"
#include "vm/Grid.h"
#include "vm/Module.h"
#include "vm/Pool.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace heddle::vm {
namespace {

/// Services for kernels that run without a CUDA runtime: printf prints nothing, there are no textures.
Services &silentServices() {
  static Services services;
  return services;
}

// Blocks per cluster on sm_90 and later for a kernel that requests more than the portable eight.
constexpr unsigned MaxClusterBlocks = 16;

/// Why a launch is not possible, and what to do; empty if it is possible.
struct Refusal {
  std::string text, hint;
};

std::string sizeText(const Dim3 &size) { return fmt::format("({}, {}, {})", size.x, size.y, size.z); }

/// `text` has placeholders for the two numbers.
Refusal overLimit(fmt::string_view text, uint64_t given, uint64_t most, const char *hint) {
  return given > most ? Refusal{fmt::vformat(text, fmt::make_format_args(given, most)), hint} : Refusal{};
}

Refusal clusterRefusal(const LaunchRequest &r) {
  const Dim3 &required = infoOf(*r.kernel).requiredCluster;
  const Dim3 cluster = r.cluster.count() == 1 && required.x ? required : r.cluster;
  if (cluster.count() == 0)
    return {"a dimension of the cluster is 0", "check how the launch computes it"};
  if (required.x && cluster != required)
    return {fmt::format("clusters of {} blocks were requested, and the kernel requires {} "
                        "(.reqnctapercluster)",
                        sizeText(cluster), sizeText(required)),
            "launch it with that cluster size"};
  if (r.grid.x % cluster.x || r.grid.y % cluster.y || r.grid.z % cluster.z)
    return {fmt::format("a grid of {} blocks is not an integer number of clusters of {}", sizeText(r.grid),
                        sizeText(cluster)),
            "use a grid whose dimensions are multiples of the cluster's"};
  return overLimit("{} blocks per cluster exceed the limit of {}", cluster.count(), MaxClusterBlocks,
                   "use smaller clusters");
}

/// The limits that the kernel itself declares.
Refusal boundsRefusal(const LaunchRequest &r, const KernelInfo &info) {
  if (info.maxThreads && r.block.count() > info.maxThreads)
    return {fmt::format("{} threads per block exceed the {} of the kernel's __launch_bounds__",
                        r.block.count(), info.maxThreads),
            "use a smaller block, or raise the launch bounds"};
  if (r.parameters.size() > info.parameterBytes)
    return {fmt::format("{} bytes of arguments were passed, and the kernel has {} bytes of parameters",
                        r.parameters.size(), info.parameterBytes),
            "pass the arguments that the kernel declares"};
  if (info.requiredBlock.x && info.requiredBlock != r.block)
    return {fmt::format("the block is {}, and the kernel requires {} (.reqntid)", sizeText(r.block),
                        sizeText(info.requiredBlock)),
            "launch it with that block"};
  return {};
}

Refusal refusal(const LaunchRequest &r, const Limits &limits) {
  const KernelInfo &info = infoOf(*r.kernel);
  if (r.grid.count() == 0 || r.block.count() == 0)
    return {"a dimension of the grid or of the block is 0", "check how the launch computes them"};
  const uint64_t shared = uint64_t(info.staticSharedBytes) + r.dynamicSharedBytes;
  const char *const smallerBlock = "use a smaller block", *const smallerGrid = "use a smaller grid";
  const Refusal reasons[] = {
      overLimit("{} threads per block exceed the limit of {}", r.block.count(), limits.maxThreadsPerBlock,
                smallerBlock),
      overLimit("blockDim.x is {}, and the limit is {}", r.block.x, limits.maxBlock.x, smallerBlock),
      overLimit("blockDim.y is {}, and the limit is {}", r.block.y, limits.maxBlock.y, smallerBlock),
      overLimit("blockDim.z is {}, and the limit is {}", r.block.z, limits.maxBlock.z, smallerBlock),
      overLimit("gridDim.x is {}, and the limit is {}", r.grid.x, limits.maxGrid.x, smallerGrid),
      overLimit("gridDim.y is {}, and the limit is {}", r.grid.y, limits.maxGrid.y, smallerGrid),
      overLimit("gridDim.z is {}, and the limit is {}", r.grid.z, limits.maxGrid.z, smallerGrid),
      overLimit("{} bytes of shared memory per block exceed the limit of {}", shared,
                limits.maxSharedBytesPerBlock, "use less shared memory"),
      boundsRefusal(r, info),
      clusterRefusal(r),
  };
  for (const Refusal &reason : reasons)
    if (!reason.text.empty())
      return reason;
  return {};
}

// Parameters of any kernel, then the grid barrier of cooperative groups.
constexpr uint64_t ParameterBytes = 32 * 1024, GridWorkspaceBytes = 64;

} // namespace

struct Simulator::Parts {
  Parts(Limits given, Services *world)
      : limits(given), memory(given.memoryBytes), services(world ? world : &silentServices()),
        stackBytes(given.stackBytesPerThread), heapBytes(given.deviceHeapBytes) {}

  Limits limits;
  Memory memory;
  Services *services;
  std::vector<std::unique_ptr<LoadedModuleImpl>> modules;
  std::mutex guard;
  Pool pool;
  std::atomic<uint64_t> launches{0};
  std::atomic<uint64_t> heapUsed{0};
  std::atomic<uint32_t> stackBytes;
  std::atomic<uint64_t> heapBytes;
  uint32_t modulesEver = 0;
  struct LaunchBuffers {
    void *parameters = nullptr, *workspace = nullptr;
  };
  std::vector<LaunchBuffers> idleBuffers; ///< reused, because a launch may take less time than an allocation

  LaunchBuffers takeBuffers() {
    std::lock_guard lock(guard);
    if (!idleBuffers.empty()) {
      LaunchBuffers buffers = idleBuffers.back();
      idleBuffers.pop_back();
      return buffers;
    }
    return {memory.allocateForSimulator(ParameterBytes, AllocationKind::Constant, "kernel parameters"),
            memory.allocateForSimulator(GridWorkspaceBytes, AllocationKind::Global, "grid barrier")};
  }
  void giveBack(LaunchBuffers buffers) {
    std::lock_guard lock(guard);
    idleBuffers.push_back(buffers);
  }

  unsigned coresFor(const LaunchRequest &request, const Observer *observer) const {
    if (observer && observer->oneCore())
      return 1;
    unsigned cores = request.cores ? request.cores : limits.cores;
    cores = cores ? cores : std::max(1u, std::thread::hardware_concurrency());
    return unsigned(std::min<uint64_t>(cores, request.grid.count()));
  }
};

const KernelInfo &infoOf(const Kernel &kernel) { return kernel.info; }

Simulator::Simulator(Limits limits, Services *services) : parts(std::make_unique<Parts>(limits, services)) {}
Simulator::~Simulator() = default;

const Limits &Simulator::limits() const { return parts->limits; }
Memory &Simulator::memory() { return parts->memory; }
void Simulator::setServices(Services *services) { parts->services = services ? services : &silentServices(); }
void Simulator::setDeviceHeapBytes(uint64_t bytes) { parts->heapBytes = bytes; }
void Simulator::setStackBytes(uint32_t bytes) { parts->stackBytes = bytes; }

LoadedModule *Simulator::load(std::shared_ptr<const ptx::Module> module, Diagnostics &diagnostics) {
  std::lock_guard lock(parts->guard);
  auto loaded = std::make_unique<LoadedModuleImpl>(std::move(module), parts->memory, ++parts->modulesEver);
  if (!loaded->place(parts->modules, diagnostics))
    return nullptr;
  return parts->modules.emplace_back(std::move(loaded)).get();
}

void Simulator::unload(LoadedModule *module) {
  std::lock_guard lock(parts->guard);
  std::erase_if(parts->modules, [&](const auto &held) { return held.get() == module; });
}

LaunchResult Simulator::launch(const LaunchRequest &request, Observer *observer) {
  LaunchResult result;
  result.launch = ++parts->launches;
  if (Refusal reason = refusal(request, parts->limits); !reason.text.empty()) {
    result.refusal = std::move(reason.text), result.refusalHint = std::move(reason.hint);
    result.status = LaunchStatus::Refused;
    return result;
  }
  const KernelInfo &info = infoOf(*request.kernel);
  Grid grid(request, parts->limits, parts->memory, *parts->services, observer, result.launch,
            parts->stackBytes, parts->heapUsed, parts->heapBytes);
  // Parameters are in read-only global memory, so that a kernel may take their address.
  Parts::LaunchBuffers buffers = parts->takeBuffers();
  if (!buffers.parameters || !buffers.workspace || info.parameterBytes > ParameterBytes) {
    result.status = LaunchStatus::Refused;
    result.refusal = "there is no device memory for the parameters";
    result.refusalHint = "free device memory before the launch";
    return result;
  }
  std::memset(buffers.parameters, 0, info.parameterBytes);
  std::copy(request.parameters.begin(), request.parameters.end(), static_cast<uint8_t *>(buffers.parameters));
  std::memset(buffers.workspace, 0, GridWorkspaceBytes);
  grid.parameters = uint64_t(buffers.parameters);
  grid.gridWorkspace = request.cooperative ? uint64_t(buffers.workspace) : 0;
  if (observer)
    observer->kernelBegin(request, info, result.launch);
  grid.coreCount = parts->coresFor(request, observer);
  useCompiled(grid);
  parts->pool.run(grid.coreCount, [&](unsigned index) {
    Core core;
    core.index = index;
    core.alone = grid.coreCount == 1;
    grid.work(core);
  });
  result = grid.result();
  parts->giveBack(buffers);
  if (observer)
    observer->kernelEnd(result);
  return result;
}

} // namespace heddle::vm
