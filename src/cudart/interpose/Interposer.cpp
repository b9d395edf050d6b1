// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands between a program and the real CUDA runtime (LD_PRELOAD) and writes the log of device-to-host copies
// that `heddle verify --device gpu` compares. Every call is passed on; only what a log entry needs is looked
// at: allocations, which kernel was given which of them, and the copies back. An asynchronous copy is waited
// for, since its bytes are only there then; results do not change by waiting. Memory that the host reads
// without a copy (managed, pinned) counts as brought back whenever the host waits, as on our own machine.
//
// Needs nothing but dlsym: the runtime's types come from our own headers, the runtime itself from the
// program.
#include "cudart/Abi.h"
#include "trace/CopyLog.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace heddle;

namespace {

/// The function of that name that the program would have called without us.
template <class Function> Function *real(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) (*real<decltype(name)>(#name))

struct Allocation {
  uint64_t id = 0;
  size_t bytes = 0;
  bool hostReads = false; ///< managed or pinned: the host needs no copy
  bool touched = false;   ///< given to a kernel since the host last waited
  std::string kernel;     ///< the newest that was given a pointer into it
  uint64_t launch = 0;
  int parameter = -1;
};

/// A __managed__ variable: where it lies is known once the program's module is loaded.
struct ManagedVariable {
  void *const *place = nullptr;
  size_t bytes = 0;
  std::string name;
};

class Recorder {
public:
  /// Never destroyed: the program's own exit handlers may still copy.
  static Recorder &instance() {
    static auto *recorder = new Recorder;
    return *recorder;
  }

  bool isOn() const { return log.isOpen(); }

  void allocated(void *pointer, size_t bytes, bool hostReads = false) {
    std::lock_guard lock(guard);
    if (pointer)
      allocations[reinterpret_cast<uint64_t>(pointer)] = {++lastId, bytes, hostReads, false, {}, 0, -1};
  }
  void managed(ManagedVariable variable) {
    std::lock_guard lock(guard);
    variables.push_back(std::move(variable));
  }
  void freed(void *pointer) {
    std::lock_guard lock(guard);
    allocations.erase(reinterpret_cast<uint64_t>(pointer));
  }
  void named(const void *function, std::string name) {
    std::lock_guard lock(guard);
    names[function] = std::move(name);
  }
  std::string nameOf(const void *function) {
    std::lock_guard lock(guard);
    auto found = names.find(function);
    return found == names.end() ? "" : found->second;
  }
  void launched(const void *function, void **arguments);
  void copied(const void *to, size_t toPitch, const void *from, size_t widthBytes, size_t height);
  void hostHasWaited();

private:
  Recorder() {
    if (const char *path = std::getenv("HEDDLE_LOG"))
      log.open(path);
  }
  Allocation *find(uint64_t address, uint64_t &offset) {
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin())
      return nullptr;
    auto &[begin, piece] = *std::prev(after);
    offset = address - begin;
    return offset < piece.bytes ? &piece : nullptr;
  }

  trace::CopyRecord recordOf(const Allocation &piece);

  std::mutex guard;
  trace::CopyLogWriter log;
  std::map<uint64_t, Allocation> allocations;
  std::vector<ManagedVariable> variables;
  bool launchedSinceWait = false;
  std::unordered_map<const void *, std::string> names;
  uint64_t lastId = 0, launches = 0, copies = 0;
};

void Recorder::launched(const void *function, void **arguments) {
  // Sizes of parameters are known to runtimes since CUDA 12.4; an older one leaves kernels unnamed.
  auto *info = real<decltype(cudaFuncGetParamInfo)>("cudaFuncGetParamInfo");
  bool errorPending = REAL(cudaPeekAtLastError)() != cudaSuccess;
  std::string name = nameOf(function);
  std::lock_guard lock(guard);
  ++launches;
  launchedSinceWait = true;
  if (!info || !arguments || errorPending)
    return;
  size_t offset = 0, bytes = 0;
  for (int i = 0; info(function, size_t(i), &offset, &bytes) == cudaSuccess; ++i)
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
      uint64_t word, inside = 0;
      std::memcpy(&word, static_cast<char *>(arguments[i]) + at, 8);
      if (Allocation *piece = find(word, inside)) {
        piece->kernel = name;
        piece->launch = launches;
        piece->parameter = i;
        piece->touched = true;
      }
    }
  REAL(cudaGetLastError)(); // the question past the last parameter left an error behind
}

trace::CopyRecord Recorder::recordOf(const Allocation &piece) {
  trace::CopyRecord record;
  record.allocation = piece.id;
  record.allocationBytes = piece.bytes;
  record.kernel = piece.kernel;
  record.kernelLaunch = piece.launch;
  record.kernelParameter = piece.parameter;
  return record;
}

void Recorder::copied(const void *to, size_t toPitch, const void *from, size_t widthBytes, size_t height) {
  std::lock_guard lock(guard);
  trace::CopyRecord record;
  uint64_t offset = 0;
  if (Allocation *piece = find(reinterpret_cast<uint64_t>(from), offset)) {
    record = recordOf(*piece);
    record.offset = offset;
  }
  record.sequence = ++copies;
  record.launches = launches;
  record.rowBytes = widthBytes;
  auto *row = static_cast<const uint8_t *>(to);
  for (size_t y = 0; y < height; ++y, row += toPitch)
    record.bytes.insert(record.bytes.end(), row, row + widthBytes);
  log.write(record);
}

void Recorder::hostHasWaited() {
  std::lock_guard lock(guard);
  if (!isOn() || !launchedSinceWait)
    return;
  launchedSinceWait = false;
  auto bringBack = [&](trace::CopyRecord record, const void *data, size_t bytes) {
    record.launches = launches;
    record.rowBytes = bytes;
    auto *begin = static_cast<const uint8_t *>(data);
    record.bytes.assign(begin, begin + bytes);
    record.sequence = ++copies;
    log.write(record);
  };
  for (const ManagedVariable &variable : variables) {
    trace::CopyRecord record;
    record.kernel = variable.name;
    record.allocationBytes = variable.bytes;
    bringBack(record, *variable.place, variable.bytes);
  }
  std::map<uint64_t, std::pair<uint64_t, Allocation *>> touched;
  for (auto &[address, piece] : allocations)
    if (piece.hostReads && std::exchange(piece.touched, false))
      touched[piece.id] = {address, &piece};
  for (auto &[id, where] : touched)
    bringBack(recordOf(*where.second), reinterpret_cast<const void *>(where.first), where.second->bytes);
}

bool bringsBack(const void *to, const void *from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDefault)
    return kind == cudaMemcpyDeviceToHost;
  cudaPointerAttributes target{}, source{};
  bool known = REAL(cudaPointerGetAttributes)(&target, to) == cudaSuccess &&
               REAL(cudaPointerGetAttributes)(&source, from) == cudaSuccess;
  return known && target.type <= cudaMemoryTypeHost && source.type >= cudaMemoryTypeDevice;
}

/// Waits for the stream, unless it is being captured and nothing runs at all.
bool finished(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  REAL(cudaStreamIsCapturing)(stream, &status);
  return status == cudaStreamCaptureStatusNone && REAL(cudaStreamSynchronize)(stream) == cudaSuccess;
}

cudaError_t afterCopy(cudaError_t error, bool wait, cudaStream_t stream, void *to, size_t toPitch,
                      const void *from, size_t widthBytes, size_t height, cudaMemcpyKind kind) {
  Recorder &recorder = Recorder::instance();
  if (error == cudaSuccess && recorder.isOn() && bringsBack(to, from, kind) && (!wait || finished(stream)))
    recorder.copied(to, toPitch, from, widthBytes, height);
  if (!wait)
    recorder.hostHasWaited();
  return error;
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  cudaError_t error = REAL(cudaMalloc)(pointer, bytes);
  if (error == cudaSuccess)
    Recorder::instance().allocated(*pointer, bytes);
  return error;
}
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  cudaError_t error = REAL(cudaMallocManaged)(pointer, bytes, flags);
  if (error == cudaSuccess)
    Recorder::instance().allocated(*pointer, bytes, true);
  return error;
}
cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  cudaError_t error = REAL(cudaMallocHost)(pointer, bytes);
  if (error == cudaSuccess)
    Recorder::instance().allocated(*pointer, bytes, true);
  return error;
}
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  cudaError_t error = REAL(cudaHostAlloc)(pointer, bytes, flags);
  if (error == cudaSuccess)
    Recorder::instance().allocated(*pointer, bytes, true);
  return error;
}
cudaError_t cudaFreeHost(void *pointer) {
  Recorder::instance().freed(pointer);
  return REAL(cudaFreeHost)(pointer);
}
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  cudaError_t error = REAL(cudaMallocAsync)(pointer, bytes, stream);
  if (error == cudaSuccess)
    Recorder::instance().allocated(*pointer, bytes);
  return error;
}
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t widthBytes, size_t height) {
  cudaError_t error = REAL(cudaMallocPitch)(pointer, pitch, widthBytes, height);
  if (error == cudaSuccess)
    Recorder::instance().allocated(*pointer, *pitch * height);
  return error;
}
cudaError_t cudaFree(void *pointer) {
  Recorder::instance().freed(pointer);
  return REAL(cudaFree)(pointer);
}
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  Recorder::instance().freed(pointer);
  return REAL(cudaFreeAsync)(pointer, stream);
}

void __cudaRegisterFunction(void **handle, const char *hostFunction, char *deviceFunction, const char *name,
                            int threads, uint3 *thread, uint3 *block, dim3 *blockSize, dim3 *gridSize,
                            int *warp) {
  using Register =
      void(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
  Recorder::instance().named(hostFunction, name);
  real<Register>("__cudaRegisterFunction")(handle, hostFunction, deviceFunction, name, threads, thread, block,
                                           blockSize, gridSize, warp);
}
void __cudaRegisterManagedVar(void **handle, void **place, char *deviceAddress, const char *name,
                              int isExtern, size_t bytes, int constant, int global) {
  using Register = void(void **, void **, char *, const char *, int, size_t, int, int);
  Recorder::instance().managed({place, bytes, name});
  real<Register>("__cudaRegisterManagedVar")(handle, place, deviceAddress, name, isExtern, bytes, constant,
                                             global);
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  using GetKernel = cudaError_t(cudaKernel_t *, const void *);
  cudaError_t error = real<GetKernel>("__cudaGetKernel")(kernel, function);
  if (error == cudaSuccess)
    Recorder::instance().named(*kernel, Recorder::instance().nameOf(function));
  return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream) {
  Recorder::instance().launched(function, arguments);
  return REAL(cudaLaunchKernel)(function, grid, block, arguments, sharedBytes, stream);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t sharedBytes, cudaStream_t stream) {
  Recorder::instance().launched(kernel, arguments);
  return REAL(__cudaLaunchKernel)(kernel, grid, block, arguments, sharedBytes, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  Recorder::instance().launched(function, arguments);
  return REAL(cudaLaunchKernelExC)(config, function, arguments);
}
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream) {
  Recorder::instance().launched(function, arguments);
  return REAL(cudaLaunchCooperativeKernel)(function, grid, block, arguments, sharedBytes, stream);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return afterCopy(REAL(cudaMemcpy)(to, from, bytes, kind), false, nullptr, to, bytes, from, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return afterCopy(REAL(cudaMemcpyAsync)(to, from, bytes, kind, stream), true, stream, to, bytes, from, bytes,
                   1, kind);
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return afterCopy(REAL(cudaMemcpy2D)(to, toPitch, from, fromPitch, width, height, kind), false, nullptr, to,
                   toPitch, from, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return afterCopy(REAL(cudaMemcpy2DAsync)(to, toPitch, from, fromPitch, width, height, kind, stream), true,
                   stream, to, toPitch, from, width, height, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return afterCopy(REAL(cudaMemcpyFromSymbol)(to, symbol, bytes, offset, kind), false, nullptr, to, bytes,
                   symbol, bytes, 1, cudaMemcpyDeviceToHost);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return afterCopy(REAL(cudaMemcpyFromSymbolAsync)(to, symbol, bytes, offset, kind, stream), true, stream, to,
                   bytes, symbol, bytes, 1, cudaMemcpyDeviceToHost);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return afterCopy(REAL(cudaMemcpy2DFromArray)(to, pitch, from, x, y, width, height, kind), false, nullptr,
                   to, pitch, from, width, height, cudaMemcpyDeviceToHost);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  cudaError_t error = REAL(cudaMemcpy3D)(p);
  bool back = p->dstPtr.ptr && (p->kind == cudaMemcpyDeviceToHost ||
                                (p->srcPtr.ptr && bringsBack(p->dstPtr.ptr, p->srcPtr.ptr, p->kind)));
  if (error != cudaSuccess || !back || !Recorder::instance().isOn())
    return error;
  size_t slice = p->dstPtr.pitch * p->dstPtr.ysize;
  cudaChannelFormatDesc format{};
  size_t unit = 1;
  if (p->srcArray && REAL(cudaGetChannelDesc)(&format, p->srcArray) == cudaSuccess)
    unit = size_t(format.x + format.y + format.z + format.w) / 8;
  for (size_t z = 0; z < p->extent.depth; ++z)
    Recorder::instance().copied(static_cast<char *>(p->dstPtr.ptr) + (p->dstPos.z + z) * slice +
                                    p->dstPos.y * p->dstPtr.pitch + p->dstPos.x,
                                p->dstPtr.pitch, p->srcPtr.ptr, p->extent.width * unit, p->extent.height);
  return error;
}

cudaError_t cudaDeviceSynchronize() {
  cudaError_t error = REAL(cudaDeviceSynchronize)();
  Recorder::instance().hostHasWaited();
  return error;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  cudaError_t error = REAL(cudaStreamSynchronize)(stream);
  Recorder::instance().hostHasWaited();
  return error;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  cudaError_t error = REAL(cudaEventSynchronize)(event);
  Recorder::instance().hostHasWaited();
  return error;
}
}
