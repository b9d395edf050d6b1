// Launches by macros, in macros that check for errors. A macro in an argument of another is not the text of the block, and a comma
// between angle brackets does not end an argument.
// RUN: %heddle opt %s -o %t.cu -d "coarsen x=2" --cuda-path none --compiler clang --verify 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=COARSEN --input-file %t.cu
// SAME: same: 1 device-to-host copy and stdout agree
// COARSEN: do { axpy <<<((n) + 127) / 128, 128 / 2>>>(y, x, n); } while (0);
// COARSEN: CHECK((LAUNCH_BY(axpy, grid, dim3(block.x / 2, block.y), y, x, n)));
// COARSEN: CHECK_ANY(axpy<<<grid, dim3(block.x / 2, block.y)>>>(y, x, n));

// RUN: %heddle opt %s -o %t.cu -d "consolidate delegate=on" --cuda-path none --compiler clang --runtime path --verify 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: FileCheck %s --check-prefix=DELEGATE --input-file %t.cu
// DELEGATE: heddle::delegate(axpy , (((n) + 127) / 128) * 4, 32)(y, x, n);
// DELEGATE: heddle::grownGrid<4, 1, 1>(grid, "axpy"), dim3(block.x / 4, block.y) )(y, x, n)

#include <cstdio>
#define CHECK(launch) do { launch; } while (0)
#define CHECK_ANY(...) do { __VA_ARGS__; } while (0)
#define LAUNCH(kernel, n, ...) kernel<<<((n) + 127) / 128, 128>>>(__VA_ARGS__)
#define LAUNCH_BY(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)

__global__ void axpy(int *y, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += 2 * x[i];
}

int main() {
  const int n = 1000;
  static int host[n];
  for (int i = 0; i < n; ++i)
    host[i] = i;
  int *x, *y;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
  dim3 grid((n + 127) / 128), block(128);
  CHECK(LAUNCH(axpy, n, y, x, n));
  CHECK((LAUNCH_BY(axpy, grid, block, y, x, n)));
  CHECK_ANY(axpy<<<grid, block>>>(y, x, n));
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[n - 1]);
}
