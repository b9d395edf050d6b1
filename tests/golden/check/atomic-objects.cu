// Orders and scopes of cuda::atomic_ref and of the __nv_atomic functions: what they do not order is a race, and what they
// order is none.
//
// RUN: %heddle check %s --compiler clang -- release | FileCheck %s --check-prefix=CLEAN
// RUN: %heddle check %s --compiler clang -- exchange | FileCheck %s --check-prefix=CLEAN
// RUN: %heddle check %s --compiler clang -- functions | FileCheck %s --check-prefix=CLEAN
// RUN: %heddle check %s --compiler clang -- device | FileCheck %s --check-prefix=CLEAN
// CLEAN: check: clean
// RUN: not %heddle check %s --compiler clang -- none | FileCheck %s --check-prefix=DATA
// RUN: not %heddle check %s --compiler clang -- inBlock | FileCheck %s --check-prefix=DATA
// DATA: error: race: {{.*}} parameter 'data' of handOver
// RUN: not %heddle check %s --compiler clang -- block | FileCheck %s --check-prefix=SCOPE
// SCOPE: error: race: {{.*}} parameter 'value' of count{{.*}} is updated atomically here by thread 0 of block 0 and updated atomically by thread 0 of block 1
// RUN: not %heddle check %s --compiler clang -- stores | FileCheck %s --check-prefix=STORES
// STORES: error: race: {{.*}} parameter 'value' of set
#include <cuda/atomic>

#include <cstring>

template <cuda::thread_scope Scope>
__global__ void handOver(int *data, int *flag, int *out, cuda::memory_order order) {
  cuda::atomic_ref<int, Scope> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    if (order == cuda::memory_order_release)
      ready.fetch_add(1, cuda::memory_order_release);
    else
      ready.fetch_add(1, cuda::memory_order_relaxed);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}

__global__ void exchange(int *data, int *flag, int *out) {
  cuda::atomic_ref<int> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.exchange(1);
  } else {
    for (int expected = 1; !ready.compare_exchange_strong(expected, 2); expected = 1) {
    }
    *out = *data;
  }
}

__global__ void functions(int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    __nv_atomic_fetch_add(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
    }
    *out = *data;
  }
}

template <cuda::thread_scope Scope> __global__ void count(int *value) {
  cuda::atomic_ref<int, Scope>(*value).fetch_add(1, cuda::memory_order_relaxed);
}

__global__ void set(long long *value) {
  cuda::atomic_ref<long long, cuda::thread_scope_block>(*value).store(blockIdx.x, cuda::memory_order_relaxed);
}

int main(int, char **words) {
  int *memory = nullptr;
  cudaMalloc(&memory, 64);
  cudaMemset(memory, 0, 64);
  int *flag = memory + 4, *out = memory + 8;
  auto is = [&](const char *word) { return !strcmp(words[1], word); };
  constexpr auto device = cuda::thread_scope_device, block = cuda::thread_scope_block;
  if (is("release"))
    handOver<device><<<2, 1>>>(memory, flag, out, cuda::memory_order_release);
  else if (is("none"))
    handOver<device><<<2, 1>>>(memory, flag, out, cuda::memory_order_relaxed);
  else if (is("inBlock"))
    handOver<block><<<2, 1>>>(memory, flag, out, cuda::memory_order_release);
  else if (is("exchange"))
    exchange<<<2, 1>>>(memory, flag, out);
  else if (is("functions"))
    functions<<<2, 1>>>(memory, flag, out);
  else if (is("device"))
    count<device><<<2, 1>>>(memory);
  else if (is("block"))
    count<block><<<2, 1>>>(memory);
  else
    set<<<2, 1>>>((long long *)memory);
  return cudaDeviceSynchronize();
}
