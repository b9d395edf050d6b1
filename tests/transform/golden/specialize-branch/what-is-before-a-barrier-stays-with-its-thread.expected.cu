// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  __shared__ float t[128];
  t[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
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
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
