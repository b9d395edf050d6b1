// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "cudart/Abi.h"
#include "cudart/Graph.h"
#include "cudart/Modules.h"
#include "cudart/Report.h"
#include "cudart/Settings.h"
#include "cudart/Streams.h"
#include "cudart/Textures.h"
#include "trace/CopyRecorder.h"
#include "vm/Simulator.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <source_location>
#include <unordered_set>

/// What a cudaEvent_t points at.
struct CUevent_st {
  unsigned flags = 0;
  heddle::cudart::TicketRef ticket;           ///< of the last record; null: never recorded
  heddle::cudart::Capture *capture = nullptr; ///< recorded while its stream was being captured
};

namespace heddle::cudart {

class AccessWatch;
class ProgramCheck;
class ProgramCounting;
class ProgramProfiler;
class WriteWatcher;

/// A launch as the API functions put it together; `run` of Runtime checks it.
struct LaunchShape {
  dim3 grid, block;
  size_t dynamicSharedBytes = 0;
  bool cooperative = false;
  vm::Dim3 cluster{1, 1, 1};
};

/// The one device and everything the program did to it. Made with the first call that needs it and never
/// destroyed: destructors of the program's statics may still call in. What must happen at the end does so in
/// finish().
class Runtime final : public vm::Services {
public:
  static Runtime &instance();
  void finish();

  const Settings settings;
  const arch::Arch arch;

private:
  std::unique_ptr<vm::Simulator> simulatorOwner;

public:
  vm::Simulator &simulator;
  Modules modules;
  Streams streams;
  Textures textures;
  DeviceOutput output;
  trace::CopyRecorder copyLog;
  std::unique_ptr<ProgramCheck> check;       ///< null: not checked
  std::unique_ptr<ProgramProfiler> profile;  ///< null: not profiled
  std::unique_ptr<ProgramCounting> counting; ///< null: not counted
  std::unique_ptr<AccessWatch> accesses;     ///< null: not counted

  /// The error that a fault left behind: every later call returns it.
  cudaError_t deviceError() const { return cudaError_t(sticky.load(std::memory_order_acquire)); }
  void deviceFailed(cudaError_t error);

  /// The stream that a handle means (null: the default stream of the calling thread's kind); nothing where it
  /// is no stream.
  Stream *resolve(cudaStream_t stream);
  /// Gives work to a stream, or to the graph that is being captured from it.
  cudaError_t submit(cudaStream_t stream, std::function<void()> work, std::vector<TicketRef> after = {});
  /// The same and waits, as calls without "Async" in their name do.
  cudaError_t perform(cudaStream_t stream, std::function<void()> work);
  cudaError_t synchronize(Stream *stream);
  cudaError_t synchronizeAll();
  /// Before a module is unloaded: what watches launches knows kernels by their addresses.
  void forgetCode();
  /// The host has waited: device output is due, and what it can see of the device is worth a log entry.
  void hostHasWaited();
  /// Instructions of threads that launches which have ended executed.
  uint64_t executedInstructions();
  uint64_t executedWarpInstructions();

  cudaError_t launch(KernelEntry &entry, const LaunchShape &shape, void **arguments, cudaStream_t stream);
  /// For the checker: a call failed, a launch failed, the program asked what went wrong.
  void noteFailedCall(std::string_view signature, cudaError_t error);
  void noteFailedLaunch(const KernelEntry &entry, const LaunchShape &shape, cudaError_t error);
  void noteErrorSeen();

  /// Everything a launch needs, checked and copied, to be run any number of times.
  cudaError_t prepare(KernelEntry &entry, const LaunchShape &shape, void **arguments,
                      std::function<void()> &work);

  /// Called for each device-to-host copy at the time of the call; the result runs after the copy.
  std::function<void()> logCopy(const void *to, size_t toPitch, const void *from, size_t fromOffset,
                                size_t widthBytes, size_t height, const cudaArray *array = nullptr);
  bool logsCopies() const { return copyLog.isOn(); }

  bool isDeviceMemory(const void *pointer, size_t bytes) const;
  cudaError_t reset();

  /// Handles that are alive, so that others are refused and not followed.
  std::mutex handleGuard;
  std::unordered_set<cudaEvent_t> events;
  std::unordered_set<cudaArray_t> arrays;
  CaptureState captures;
  std::map<uint64_t, unsigned> hostFlags; ///< of pinned and registered host memory, by address
  size_t limits[8] = {};

  // vm::Services
  void print(std::string_view text) override { output.add(text); }
  bool texture(const vm::TextureFetch &fetch, uint32_t (&texel)[4]) override {
    return textures.fetch(fetch, texel);
  }
  bool queryTexture(uint64_t handle, vm::TextureQuery query, uint32_t &answer) override {
    return textures.query(handle, query, answer);
  }
  bool loadSurface(const vm::SurfaceAccess &access, void *bytes) override {
    return textures.load(access, bytes);
  }
  bool storeSurface(const vm::SurfaceAccess &access, const void *bytes) override {
    return textures.store(access, bytes);
  }

private:
  explicit Runtime(Settings settings, arch::Arch arch, cudaError_t startError);
  struct Launch;
  void execute(const vm::LaunchRequest &request, uint64_t number);
  vm::LaunchResult carryOut(const vm::LaunchRequest &request, vm::Observer *observer);
  void noteArguments(const KernelEntry &entry, const vm::KernelInfo &info, const std::vector<uint8_t> &bytes);
  void writeSummary();
  void writeResults(bool isComplete);
  void endLater();

  std::atomic<int> sticky{cudaSuccess};

  std::unique_ptr<WriteWatcher> watcher;
  std::mutex counterGuard;
  uint64_t launches = 0, warpInstructions = 0, threadInstructions = 0;
  double seconds = 0;
};

/// The last error of the calling thread, as cudaGetLastError has it.
extern thread_local cudaError_t lastError;
/// For the checker: what is wrong with the arguments of the call that this thread is in, where that is known.
extern thread_local std::string wrongArguments;
/// True inside the _ptsz and _ptds forms, where the null stream is the thread's own.
extern thread_local bool nullStreamIsPerThread;

/// Whether the calling thread has a current context of the driver API; a call of the runtime API makes the primary
/// context current where there is none.
extern thread_local bool hasContext;
void bindPrimaryContext();

/// "cudaErrorInvalidValue", for messages of our own.
const char *errorName(cudaError_t error);

/// The frame of every API call: a device that failed answers with that, and an error stays with the thread.
/// What the checker hears of are calls that failed by themselves; a kernel that stopped is a finding of its own.
/// Helpers that several calls share pass on where they were called from, which names the call.
template <class Body>
cudaError_t api(Body body, std::source_location where = std::source_location::current()) {
  Runtime &runtime = Runtime::instance();
  if (!hasContext)
    bindPrimaryContext();
  cudaError_t error = runtime.deviceError();
  if (error == cudaSuccess) {
    wrongArguments.clear();
    error = body(runtime);
    if (error != cudaSuccess && error != cudaErrorNotReady && runtime.check && !runtime.deviceError())
      runtime.noteFailedCall(where.function_name(), error);
  }
  if (error != cudaSuccess && error != cudaErrorNotReady)
    lastError = error;
  return error;
}

/// The same for a call on an event or an array, which must be one that the runtime has made.
template <class Handle, class Body>
cudaError_t apiOn(std::unordered_set<Handle> Runtime::*handles, Handle handle, Body body,
                  std::source_location where) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        {
          std::lock_guard lock(runtime.handleGuard);
          if (!(runtime.*handles).count(handle))
            return cudaErrorInvalidResourceHandle;
        }
        return body(runtime);
      },
      where);
}

} // namespace heddle::cudart
