// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of this folder share. The synchronization of PTX comes as macros, not as functions, so
// that the line of a finding is the line in the kernel and not one in here.
#pragma once

#include <cuda_runtime.h>

#define SHARED_ADDRESS(p) static_cast<unsigned>(__cvta_generic_to_shared(p))

// Keeps the compiler from making one store of two.
#define KEEP_STORES() asm volatile("" ::: "memory")

// Named barriers.
#define BAR_SYNC(name, threads) asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory")
#define BAR_ARRIVE(name, threads) asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory")

// The barrier of the cluster.
#define CLUSTER_SYNC()                                                                                       \
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")

// mbarriers: unsigned long long in shared memory.
#define MBAR_INIT(bar, count)                                                                                \
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED_ADDRESS(bar)), "r"(count) : "memory")
#define MBAR_INVAL(bar) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(SHARED_ADDRESS(bar)) : "memory")
#define MBAR_ARRIVE(bar)                                                                                     \
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(SHARED_ADDRESS(bar))     \
               : "memory")
#define MBAR_ARRIVE_EXPECT(bar, bytes)                                                                       \
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(           \
                   SHARED_ADDRESS(bar)),                                                                     \
               "r"(bytes)                                                                                    \
               : "memory")
#define MBAR_WAIT(bar, parity)                                                                               \
  for (unsigned done = 0; !done;)                                                                            \
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"    \
               : "=r"(done)                                                                                  \
               : "r"(SHARED_ADDRESS(bar)), "r"(parity)                                                       \
               : "memory")

// Asynchronous copies.
#define CP_ASYNC_4(to, from)                                                                                 \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED_ADDRESS(to)), "l"(from) : "memory")
#define CP_ASYNC_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define CP_ASYNC_WAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
#define BULK_IN(to, from, bytes, bar)                                                                        \
  asm volatile(                                                                                              \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(       \
          SHARED_ADDRESS(to)),                                                                               \
      "l"(from), "r"(bytes), "r"(SHARED_ADDRESS(bar))                                                        \
      : "memory")
#define BULK_OUT(to, from, bytes)                                                                            \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),                      \
               "r"(SHARED_ADDRESS(from)), "r"(bytes)                                                         \
               : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT() asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define BULK_WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async;" ::: "memory")

/// Device memory full of zeros.
inline int *zeros(int count) {
  int *data = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(int));
  cudaMemset(data, 0, count * sizeof(int));
  return data;
}

/// Device memory that holds 1, 2, 3...
inline int *numbers(int count) {
  int *data = zeros(count), *host = new int[count];
  for (int i = 0; i < count; ++i)
    host[i] = i + 1;
  cudaMemcpy(data, host, count * sizeof(int), cudaMemcpyHostToDevice);
  delete[] host;
  return data;
}

/// Launches blocks in clusters.
inline void inClusters(unsigned size, unsigned blocks, unsigned threads, void (*kernel)(const int *, int *),
                       const int *in, int *out) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks), config.blockDim = dim3(threads);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  void *arguments[] = {&in, &out};
  cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(kernel), arguments);
}

inline int finish() { return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1; }
