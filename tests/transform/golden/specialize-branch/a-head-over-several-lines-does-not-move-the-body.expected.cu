// heddle opt --assume whole-program -d "specialize by=branch"

#include <heddle/kinds.cuh>

__global__ void answer(float *out, const int *requests, const float *table,
                       int columns, int rows) {
  // Warps take work of one kind at a time: this returns the kind of an item.
  const auto kindOf = [&](const uint3 threadIdx) -> int {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int kind = requests[i] % 2;
    if (kind == 0)
      return 0;
    return 1;
  };
  const auto work = [&](const uint3 threadIdx) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int kind = requests[i] % 2;
    if (kind == 0)
      out[i] = table[i] * 2;
    else
      out[i] = table[i] + 1;
  };
  __shared__ heddle::KindQueues<heddle::ThreadItem, 2, 64> queues;
  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);
}
void f(float *out, int *requests, float *table, int n) { answer<<<4, 64>>>(out, requests, table, n, 1); }
