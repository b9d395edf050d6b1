// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/CopyRecorder.h"
#include "trace/preload/Launch.h"
#include "trace/preload/ProgramMemory.h"

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

namespace heddle::trace {

/// What a copy leaves on the host.
struct Rows {
  void *to = nullptr;
  size_t pitch = 0;
  const void *from = nullptr; ///< an address on the device; null where the source has none
  size_t widthBytes = 0, height = 1;
  const void *symbol = nullptr; ///< of the variable that the copy is from, which has no address for the host
  size_t offset = 0;            ///< in the variable
};

/// Texture and surface objects have numbers of their own. A view is a texture that shows the texels of an array as others.
enum class ObjectKind { Texture, TextureView, Surface };

/// Follows a program by the calls that Hooks.cpp sees, and keeps what every use of that needs: names of kernels, the
/// program's memory, the log of copies. A library that is preloaded has one recorder, which adds what the library is
/// for (trace/record: the log; runner/timing: times of launches). By default every call is passed on.
class Recorder {
public:
  /// A call as the program made it, passed on.
  using Call = std::function<cudaError_t()>;
  /// What an allocation is asked for and what it writes: the pointer and, for rows, the bytes from one to the next.
  struct MemoryRequest {
    void **pointer = nullptr;
    MemoryKind kind = MemoryKind::Device;
    size_t rowBytes = 0, rows = 1;
    size_t *pitch = nullptr; ///< null: rows follow each other

    /// Of the allocation that was made.
    size_t bytes() const { return (pitch ? *pitch : rowBytes) * rows; }
  };

  /// The library's own. Never destroyed: the program's exit handlers may still call the runtime.
  static Recorder &instance();
  virtual ~Recorder() = default;

  /// False: nothing of copies is wanted.
  virtual bool isOn() const = 0;
  /// Makes the launch.
  virtual cudaError_t launch(const Launch &launch) = 0;
  /// A graph is about to be launched.
  virtual void graphLaunched() {}
  virtual cudaError_t allocate(const MemoryRequest &request, const Call &call);
  virtual cudaError_t free(void *pointer, const Call &call);
  virtual cudaError_t freeAsync(void *pointer, cudaStream_t stream, const Call &call);
  /// The program's own host memory, which kernels may use from now on, or no longer.
  virtual void hostRegistered(void *, size_t) {}
  virtual void hostUnregistered(void *) {}
  /// A texture or surface object.
  virtual void objectCreated(unsigned long long, ObjectKind) {}
  virtual void objectDestroyed(unsigned long long, ObjectKind) {}
  /// The rows are on the host.
  virtual void copiedToHost(const Rows &rows) = 0;
  /// The host has waited for the device: it may read managed and pinned memory now.
  virtual void hostHasWaited() {}
  /// The device is about to be reset.
  virtual void ending() {}

  void declared(DeviceVariable variable);
  void declared(ManagedVariable variable);
  /// A kernel is registered by its host function.
  virtual void named(const void *function, std::string name);
  /// What launches have in the place of its function since CUDA 13.
  virtual void namedAgain(const void *kernel, const void *function) { named(kernel, nameOf(function)); }
  /// Mangled; empty where it is not known.
  std::string nameOf(const void *function) const;

protected:
  Recorder() = default;
  /// For the log, where it is on.
  void logLaunch(const std::string &kernel, const Launch &launch);
  void logCopy(const Rows &rows);

  mutable std::recursive_mutex guard;
  ProgramMemory memory;
  CopyRecorder copyLog;

private:
  std::unordered_map<const void *, std::string> names;
};

/// Nothing runs in a stream that is being captured, and nothing may be waited for.
bool isCapturing(cudaStream_t stream);
/// Waits for the stream, unless it is being captured and nothing runs at all.
bool isDone(cudaStream_t stream);

} // namespace heddle::trace
