// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (kind[i]) {
    case 0: return 0;
    case 1: return heddle::noKind;
    case 2: return 1;
    default: return heddle::noKind;
    }
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (kind[i]) {
    case 0: a[i] = 1.0f; break;
    case 1: break;
    case 2: a[i] = 2.0f; break;
    default: break;
    }
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 128> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
