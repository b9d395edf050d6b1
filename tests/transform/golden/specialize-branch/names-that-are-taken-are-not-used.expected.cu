// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int work = kind[i];
    if (work == 0)
      return 0;
    return 1;
  };
  const auto work2 = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int work = kind[i];
    if (work == 0) a[i] = 1; else a[i] = 2;
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 128> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work2);
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
