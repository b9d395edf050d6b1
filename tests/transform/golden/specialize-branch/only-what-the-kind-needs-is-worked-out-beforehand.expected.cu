// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float needed = a[i];
    int which = 0;
    if (needed > 0)
      which = kind[i];
    if (which == 3)
      return 0;
    return 1;
  };
  const auto work = [&](const uint3 threadIdx) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float unused = a[i + 1], needed = a[i];
    int which = 0;
    if (needed > 0)
      which = kind[i];
    float more = a[i + 2];
    if (which == 3) { a[i] = unused; } else { a[i] = more; }
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 128> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
