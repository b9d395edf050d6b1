// heddle opt --assume whole-program --block 128 -d "specialize by=branch"

#include <heddle/launch.cuh>

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (kind[i] == 1)
      return 0;
    return 1;
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (kind[i] == 1)
      a[i] = 1.0f;
    else
      a[i] = a[i] * 2.0f;
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 128> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
void f(float *a, const int *kind, int n, int threads) { k<<<n / threads, heddle::statedBlock<128, 1, 1>(threads, "k")>>>(a, kind); }
