// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/preload/Recorder.h"

#include <utility>

namespace heddle::trace {

cudaError_t Recorder::allocate(const MemoryRequest &request, const Call &call) {
  const cudaError_t error = call();
  if (error != cudaSuccess)
    return error;
  std::lock_guard<std::recursive_mutex> lock(guard);
  memory.allocated(*request.pointer, request.bytes(), request.kind);
  return error;
}

cudaError_t Recorder::free(void *pointer, const Call &call) {
  {
    std::lock_guard<std::recursive_mutex> lock(guard);
    memory.freed(pointer);
  }
  return call();
}

cudaError_t Recorder::freeAsync(void *pointer, cudaStream_t, const Call &call) { return free(pointer, call); }

void Recorder::declared(DeviceVariable variable) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  memory.variables.push_back(std::move(variable));
}

void Recorder::declared(ManagedVariable variable) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  memory.managedVariables.push_back(std::move(variable));
}

void Recorder::named(const void *function, std::string name) {
  std::lock_guard<std::recursive_mutex> lock(guard);
  names[function] = std::move(name);
}

std::string Recorder::nameOf(const void *function) const {
  std::lock_guard<std::recursive_mutex> lock(guard);
  auto found = names.find(function);
  return found == names.end() ? "" : found->second;
}

void Recorder::logLaunch(const std::string &kernel, const Launch &launch) {
  if (!copyLog.isOn())
    return;
  // Without the sizes of parameters the launch counts, and copies have no kernel.
  const std::vector<ArgumentBytes> arguments = argumentsOf(launch).value_or(std::vector<ArgumentBytes>());
  std::lock_guard<std::recursive_mutex> lock(guard);
  copyLog.launched(kernel, arguments, [this](uint64_t address) { return memory.find(address); });
}

void Recorder::logCopy(const Rows &rows) {
  if (!copyLog.isOn())
    return;
  std::lock_guard<std::recursive_mutex> lock(guard);
  const uint64_t address = rows.symbol ? reinterpret_cast<uint64_t>(rows.symbol) + rows.offset
                                       : reinterpret_cast<uint64_t>(rows.from);
  copyLog.copied(copyLog.nextSequence(), rows.symbol ? memory.variableOf(rows.symbol) : memory.find(address),
                 address, packedRows(rows.to, rows.pitch, rows.widthBytes, rows.height), rows.widthBytes);
}

bool isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = REAL(cudaStreamIsCapturing)(stream, &status);
  if (error != cudaSuccess)
    REAL(cudaGetLastError)();
  // The error of the default stream while another one is captured. A runtime that does not work makes no graphs.
  return error == cudaErrorStreamCaptureImplicit || status != cudaStreamCaptureStatusNone;
}

bool isDone(cudaStream_t stream) {
  return !isCapturing(stream) && REAL(cudaStreamSynchronize)(stream) == cudaSuccess;
}

} // namespace heddle::trace
