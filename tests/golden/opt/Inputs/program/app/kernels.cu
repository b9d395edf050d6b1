#include "../inc/scale.cuh"
#include "../inc/all.h"
#include <cstdio>

#define CHECK(call)                                                                                                    \
  if (cudaError_t error = (call); error != cudaSuccess) {                                                              \
    std::printf("%s:%d: %d\n", __FILE__, __LINE__, int(error));                                                        \
    return 1;                                                                                                          \
  }

int main(int words, char **) {
  const int n = 1000, block = 64 * (words + 1);
  float *a, h[n];
  for (int i = 0; i < n; ++i)
    h[i] = i;
  CHECK(cudaMalloc(&a, sizeof h));
  CHECK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
  scaleAll(a, 3, n, block);
  shift<<<BLOCKS(n, block), block>>>(a, 0.5f, n);
  scale<float><<<8, 128>>>(a, 2, n);
  CHECK(cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost));
  std::printf("%g %g\n", h[1], h[n - 1]);
}
