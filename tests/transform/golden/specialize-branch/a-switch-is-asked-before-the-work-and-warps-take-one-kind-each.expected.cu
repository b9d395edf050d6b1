// heddle opt --assume whole-program -d "specialize by=branch"

#include <cstdio>

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
      return heddle::noKind;
    switch (kind[i]) {
    case 1: return 0;
    case 2:
    case 3: return 1;
    default: return 2;
    }
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
      return; // none
    float x = a[i];
    switch (kind[i]) {
    case 1:
      x = sqrtf(x);
      break;
    case 2:
    case 3: x = sinf(x); break;
    default: x = 0.0f;
    }
    a[i] = x;
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 3, 96> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
void f(float *a, int *b) { k<<<8, 96>>>(a, b, 9); }
