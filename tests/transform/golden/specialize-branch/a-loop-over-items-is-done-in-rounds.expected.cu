// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void k(float *a, const int *kind, int n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const int i) -> int {
    if (a[i] < 0)
      return heddle::noKind;
    if (kind[i] == 1)
      return 0;
    else if (kind[i] == 2)
      return 1;
    return heddle::noKind;
  };
  const auto work = [&](const int i) {
    if (a[i] < 0)
      return;
    if (kind[i] == 1) {
      a[i] = 1.0f;
    } else if (kind[i] == 2) {
      a[i] = 2.0f;
    }
  };
  __shared__ heddle::KindQueues<int, 2, 128> queues;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; __syncthreads_or(i < n);) {
    const bool hasItem = i < n;
    heddle::workByKind(queues, i, hasItem ? kindOf(i) : heddle::noKind, work);
    if (hasItem)
      i += gridDim.x * blockDim.x;
  }
}
int main() { k<<<4, 128>>>(nullptr, nullptr, 0); }
