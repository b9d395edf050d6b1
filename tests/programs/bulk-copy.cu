// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async.bulk: one thread asks for a whole row, an mbarrier counts its bytes; the way back by a bulk group.
#include "Check.h"

__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

__device__ void wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{\n"
                 " .reg .pred p;\n"
                 " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 " selp.u32 %0, 1, 0, p;\n"
                 "}\n"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  } while (!done);
}

constexpr int row = 256, rows = 6;

__global__ void doubled(const int *in, int *out) {
  __shared__ alignas(128) int cells[row];
  __shared__ alignas(8) unsigned long long barrierStorage;
  unsigned barrier = sharedAddress(&barrierStorage);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                   "r"(int(sizeof cells))
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
              sharedAddress(cells)),
          "l"(in + r * row), "r"(int(sizeof cells)), "r"(barrier)
          : "memory");
    }
    wait(barrier, r & 1);
    int v = cells[(threadIdx.x + 1) % row];
    __syncthreads();
    cells[threadIdx.x] = 2 * v;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + r * row),
                   "r"(sharedAddress(cells)), "r"(int(sizeof cells))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
  }
}

int main() {
  std::vector<int> values(row * rows);
  for (int i = 0; i < row * rows; ++i)
    values[i] = i * 31 % 4001;
  DeviceArray<int> in(values), out(row * rows);
  doubled<<<1, row>>>(in, out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < row; ++i)
      CHECK(got[r * row + i] == 2 * values[r * row + (i + 1) % row]);
  return pass();
}
