// heddle opt -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (kind[i]) {
    case 0: return 0;
    case 1: return 1;
    }
    return heddle::noKind;
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (kind[i]) {
    case 0: for (int j = 0; j < 9; ++j) a[i] += 1.0f; break;
    case 1: for (int j = 0; j < 7; ++j) a[i] *= 2.0f; break;
    }
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 1024> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
void f(float *a, int *kind) { k<<<8, 64>>>(a, kind); }
