// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (kind[i]) {
    case 0: return 0;
    default: return 1;
    }
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    if (kind[i] < 0) x = 1; else x = 2;
    switch (kind[i]) {
    case 0: for (int k = 0; k < n; ++k) x += a[k]; break;
    default: for (int k = 0; k < n; ++k) x *= a[k];
    }
    a[i] = x;
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 128> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
