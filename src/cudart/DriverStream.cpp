// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of the driver API, which are those of the runtime API.
#include "cudart/Driver.h"

using namespace heddle::cudart;

namespace {

struct Callback {
  CUstreamCallback function;
  void *userData;
};

void callBack(cudaStream_t stream, cudaError_t status, void *data) {
  std::unique_ptr<Callback> callback(static_cast<Callback *>(data));
  callback->function(stream, resultOf(status), callback->userData);
}

} // namespace

extern "C" {

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return driverCall([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  return driverCall([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return driverCall([&] { return cudaStreamDestroy(stream); });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return driverCall([&] { return cudaStreamSynchronize(stream); });
}
CUresult cuStreamQuery(CUstream stream) {
  return driverCall([&] { return cudaStreamQuery(stream); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return driverCall([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *userData, unsigned flags) {
  return driverCall([&]() -> cudaError_t {
    if (!function)
      return cudaErrorInvalidValue;
    auto callback = std::make_unique<Callback>(function, userData);
    cudaError_t error = cudaStreamAddCallback(stream, callBack, callback.get(), flags);
    if (error == cudaSuccess)
      callback.release();
    return error;
  });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData) {
  return driverCall([&] { return cudaLaunchHostFunc(stream, function, userData); });
}
CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return driverCall([&] { return cudaStreamGetPriority(stream, priority); });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return driverCall([&] { return cudaStreamGetFlags(stream, flags); });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  return driverCall([&] { return cudaStreamGetId(stream, id); });
}
CUresult cuStreamGetCtx(CUstream, CUcontext *context) {
  return driverCall([&] {
    *context = reinterpret_cast<CUcontext>(currentContext());
    return cudaSuccess;
  });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags) {
  return driverCall([&] { return cudaStreamAttachMemAsync(stream, hostPointer(pointer), bytes, flags); });
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return driverCall([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUresult cuEventDestroy_v2(CUevent event) {
  return driverCall([&] { return cudaEventDestroy(event); });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return driverCall([&] { return cudaEventRecord(event, stream); });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return driverCall([&] { return cudaEventRecordWithFlags(event, stream, flags); });
}
CUresult cuEventSynchronize(CUevent event) {
  return driverCall([&] { return cudaEventSynchronize(event); });
}
CUresult cuEventQuery(CUevent event) {
  return driverCall([&] { return cudaEventQuery(event); });
}
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  return driverCall([&] { return cudaEventElapsedTime(milliseconds, start, end); });
}
/// What programs built with headers before CUDA 13 call; the same for events of one context.
CUresult cuEventElapsedTime_v1(float *milliseconds, CUevent start, CUevent end) __asm__("cuEventElapsedTime");
CUresult cuEventElapsedTime_v1(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
}
