// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs, captured from streams or built node by node. A graph runs its nodes one after the other in an order
// that respects their dependences; nothing in the API promises more.
#include "cudart/Copy.h"
#include "cudart/Runtime.h"

#include <algorithm>
#include <cstring>

using namespace heddle::cudart;

namespace {

cudaError_t addNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                    cudaGraphNodeType type, std::function<void()> work) {
  if (!graph || !node || (count && !after))
    return cudaErrorInvalidValue;
  graph->nodes.push_back({type, std::move(work), {after, after + count}, graph});
  *node = &graph->nodes.back();
  return cudaSuccess;
}

LaunchShape shapeOf(const cudaKernelNodeParams &p) { return {p.gridDim, p.blockDim, p.sharedMemBytes}; }

cudaError_t kernelWork(Runtime &runtime, const cudaKernelNodeParams &p, std::function<void()> &work) {
  KernelEntry *entry = runtime.modules.find(p.func);
  if (!entry)
    return cudaErrorInvalidDeviceFunction;
  return runtime.prepare(*entry, shapeOf(p), p.kernelParams, work);
}

/// Fills of 1, 2 or 4 bytes each.
std::function<void()> fillWork(const cudaMemsetParams &p) {
  return [p] {
    for (size_t y = 0; y < p.height; ++y)
      for (size_t x = 0; x < p.width; ++x)
        std::memcpy(static_cast<char *>(p.dst) + y * p.pitch + x * p.elementSize, &p.value, p.elementSize);
  };
}

std::function<void()> graphWork(cudaGraph_t graph) {
  std::vector<std::function<void()>> steps;
  for (const CUgraphNode_st *node : inOrder(*graph))
    if (node->work)
      steps.push_back(node->work);
  return [steps] {
    for (const auto &step : steps)
      step();
  };
}

} // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return api([&](Runtime &runtime) -> cudaError_t {
    Stream *known = runtime.resolve(stream);
    if (!known)
      return cudaErrorInvalidResourceHandle;
    if (known->isLegacy)
      return cudaErrorStreamCaptureUnsupported;
    if (runtime.captures.of(known))
      return cudaErrorIllegalState;
    std::lock_guard lock(runtime.captures.guard);
    Capture &capture = runtime.captures.all.emplace_back();
    capture.graph = new CUgraph_st;
    capture.origin = known;
    runtime.captures.join(known, &capture);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return api([&](Runtime &runtime) -> cudaError_t {
    Stream *known = runtime.resolve(stream);
    std::lock_guard lock(runtime.captures.guard);
    Capture *capture = known ? runtime.captures.of(known) : nullptr;
    if (!capture || capture->origin != known)
      return cudaErrorIllegalState;
    *graph = capture->graph;
    for (Stream *member : capture->streams)
      runtime.captures.byStream.erase(member);
    std::lock_guard events(runtime.handleGuard);
    for (cudaEvent_t event : runtime.events)
      if (event->capture == capture)
        event->capture = nullptr;
    runtime.captures.all.remove_if([&](const Capture &c) { return &c == capture; });
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return api([&](Runtime &runtime) -> cudaError_t {
    Stream *known = runtime.resolve(stream);
    if (!known)
      return cudaErrorInvalidResourceHandle;
    *status = runtime.captures.of(known) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  std::swap(current, *mode);
  return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const cudaKernelNodeParams *parameters) {
  return api([&](Runtime &runtime) -> cudaError_t {
    std::function<void()> work;
    if (cudaError_t error = kernelWork(runtime, *parameters, work))
      return error;
    return addNode(node, graph, after, count, cudaGraphNodeTypeKernel, std::move(work));
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const cudaMemcpy3DParms *parameters) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!parameters)
      return cudaErrorInvalidValue;
    std::function<void()> work;
    if (cudaError_t error = repeatedCopy(runtime, *parameters, work))
      return error;
    return addNode(node, graph, after, count, cudaGraphNodeTypeMemcpy, std::move(work));
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                     size_t count, void *to, const void *from, size_t bytes,
                                     cudaMemcpyKind kind) {
  cudaMemcpy3DParms row = {};
  row.dstPtr = {to, bytes, bytes, 1};
  row.srcPtr = {const_cast<void *>(from), bytes, bytes, 1};
  row.extent = {bytes, 1, 1};
  row.kind = kind;
  return cudaGraphAddMemcpyNode(node, graph, after, count, &row);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const cudaMemsetParams *parameters) {
  return api([&](Runtime &) {
    return addNode(node, graph, after, count, cudaGraphNodeTypeMemset, fillWork(*parameters));
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const cudaHostNodeParams *parameters) {
  return api([&](Runtime &) {
    cudaHostNodeParams p = *parameters;
    return addNode(node, graph, after, count, cudaGraphNodeTypeHost, [p] { p.fn(p.userData); });
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                  size_t count) {
  return api([&](Runtime &) { return addNode(node, graph, after, count, cudaGraphNodeTypeEmpty, {}); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                       size_t count, cudaGraph_t child) {
  return api([&](Runtime &) {
    return addNode(node, graph, after, count, cudaGraphNodeTypeGraph, graphWork(child));
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *, size_t count) {
  return api([&](Runtime &) {
    for (size_t i = 0; i < count; ++i)
      to[i]->after.push_back(from[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return api([&](Runtime &) {
    size_t capacity = nodes ? *count : 0, i = 0;
    for (CUgraphNode_st &node : graph->nodes)
      if (i < capacity)
        nodes[i++] = &node;
    *count = nodes ? i : graph->nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long) {
  return api([&](Runtime &) -> cudaError_t {
    if (!graph || !executable)
      return cudaErrorInvalidValue;
    std::vector<const CUgraphNode_st *> order = inOrder(*graph);
    if (order.size() != graph->nodes.size())
      return cudaErrorInvalidValue;
    *executable = new CUgraphExec_st;
    for (const CUgraphNode_st *node : order)
      (*executable)->steps.push_back({node, node->work});
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *parameters) {
  return api([&](Runtime &runtime) -> cudaError_t {
    for (auto &step : executable->steps)
      if (step.node == node)
        return kernelWork(runtime, *parameters, step.work);
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return api([&](Runtime &runtime) -> cudaError_t {
    if (!executable)
      return cudaErrorInvalidValue;
    for (const auto &step : executable->steps)
      if (cudaError_t error = runtime.submit(stream, step.work))
        return error;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
}
