// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events.
#include "cudart/Runtime.h"

using namespace heddle::cudart;

namespace {

template <class Body>
cudaError_t withStream(cudaStream_t handle, Body body,
                       std::source_location where = std::source_location::current()) {
  return api(
      [&](Runtime &runtime) -> cudaError_t {
        Stream *stream = runtime.resolve(handle);
        return stream ? body(runtime, stream) : cudaErrorInvalidResourceHandle;
      },
      where);
}

template <class Body>
cudaError_t withEvent(cudaEvent_t event, Body body,
                      std::source_location where = std::source_location::current()) {
  return apiOn(&Runtime::events, event, body, where);
}

constexpr int kLeastPriority = 0, kGreatestPriority = -5; // as devices of today answer

} // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!stream || flags > cudaStreamNonBlocking)
      return cudaErrorInvalidValue;
    *stream = reinterpret_cast<cudaStream_t>(runtime.streams.create(flags, priority));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api([&](Runtime &runtime) -> cudaError_t {
    bool known = stream && runtime.streams.destroy(reinterpret_cast<Stream *>(stream));
    return known ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return withStream(stream, [](Runtime &runtime, Stream *known) -> cudaError_t {
    if (runtime.captures.of(known))
      return cudaErrorStreamCaptureUnsupported;
    return runtime.synchronize(known);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return withStream(stream, [](Runtime &runtime, Stream *known) -> cudaError_t {
    return runtime.streams.isDone(runtime.streams.newest(known)) ? runtime.deviceError() : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return withEvent(event, [&](Runtime &runtime) -> cudaError_t {
    Stream *known = runtime.resolve(stream);
    if (!known)
      return cudaErrorInvalidResourceHandle;
    if (event->capture) {
      runtime.captures.join(known, event->capture);
      return cudaSuccess;
    }
    return event->ticket ? runtime.submit(stream, {}, {event->ticket}) : cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!function)
      return cudaErrorInvalidValue;
    return runtime.submit(stream, [function, data] { function(data); });
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!callback)
      return cudaErrorInvalidValue;
    return runtime.submit(stream, [=] { callback(stream, cudaSuccess, data); });
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return withStream(stream, [&](Runtime &, Stream *known) {
    *priority = known->priority;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return withStream(stream, [&](Runtime &, Stream *known) {
    *flags = known->flags;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  return withStream(stream, [&](Runtime &, Stream *known) {
    *id = known->id;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
  return withStream(stream, [&](Runtime &, Stream *) {
    *device = 0;
    return cudaSuccess;
  });
}
// Attributes speak of caches and scheduling: they change no result.
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t) {
  return withStream(to, [](Runtime &, Stream *) { return cudaSuccess; });
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue *) {
  return withStream(stream, [](Runtime &, Stream *) { return cudaSuccess; });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = kLeastPriority;
  if (greatest)
    *greatest = kGreatestPriority;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!event)
      return cudaErrorInvalidValue;
    *event = new CUevent_st{.flags = flags};
    std::lock_guard lock(runtime.handleGuard);
    runtime.events.insert(*event);
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return withEvent(event, [&](Runtime &runtime) {
    std::lock_guard lock(runtime.handleGuard);
    runtime.events.erase(event);
    delete event; // work that waits for it holds the ticket itself
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return withEvent(event, [&](Runtime &runtime) -> cudaError_t {
    Stream *known = runtime.resolve(stream);
    if (!known)
      return cudaErrorInvalidResourceHandle;
    event->capture = runtime.captures.of(known);
    if (!event->capture)
      event->ticket = runtime.streams.enqueue(known, [] {});
    return cudaSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return withEvent(event, [&](Runtime &runtime) -> cudaError_t {
    if (event->capture)
      return cudaErrorCapturedEvent;
    runtime.streams.wait(event->ticket);
    runtime.hostHasWaited();
    return runtime.deviceError();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return withEvent(event, [&](Runtime &runtime) -> cudaError_t {
    return runtime.streams.isDone(event->ticket) ? runtime.deviceError() : cudaErrorNotReady;
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return withEvent(start, [&](Runtime &) -> cudaError_t {
    return withEvent(end, [&](Runtime &runtime) -> cudaError_t {
      if (!milliseconds)
        return cudaErrorInvalidValue;
      bool timed = start->ticket && end->ticket && !((start->flags | end->flags) & cudaEventDisableTiming);
      if (!timed)
        return cudaErrorInvalidResourceHandle;
      if (!runtime.streams.isDone(start->ticket) || !runtime.streams.isDone(end->ticket))
        return cudaErrorNotReady;
      std::chrono::duration<float, std::milli> elapsed = end->ticket->when - start->ticket->when;
      *milliseconds = elapsed.count();
      return cudaSuccess;
    });
  });
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
}
