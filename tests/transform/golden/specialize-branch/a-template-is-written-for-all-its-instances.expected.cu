// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

template <class T, class I> __global__ void k(T *a, I n) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const I i) -> int {
    if (a[i] > T(0))
      return 0;
    return 1;
  };
  const auto work = [&](const I i) {
    if (a[i] > T(0)) a[i] -= T(1); else a[i] += T(2);
  };
  __shared__ heddle::KindQueues<I, 2, 64> queues;
  for (I i = threadIdx.x; __syncthreads_or(i < n);) {
    const bool hasItem = i < n;
    heddle::workByKind(queues, i, hasItem ? kindOf(i) : heddle::noKind, work);
    if (hasItem)
      i += blockDim.x;
  }
}
void f(float *a, double *b) { k<<<1, 64>>>(a, 9); k<<<1, 64>>>(b, 9ll); }
