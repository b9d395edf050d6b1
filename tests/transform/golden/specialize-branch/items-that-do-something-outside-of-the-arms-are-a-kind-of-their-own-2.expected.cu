// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (kind[i]) {
    case 0: return 0;
    case 1: return 1;
    }
    return 2;
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    switch (kind[i]) {
    case 0: x = a[i]; break;
    case 1: x = a[i + 1]; break;
    }
    a[i] = x;
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 3, 128> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
