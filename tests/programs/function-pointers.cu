// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls through pointers that differ from lane to lane, pointers taken by the host, and virtual functions.
#include "Check.h"

using Operation = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }

__device__ Operation operations[4] = {add, subtract, multiply, larger};
__device__ Operation chosen = subtract;

__global__ void perLane(int *out) {
  int i = threadIdx.x;
  out[i] = operations[i & 3](i, 5);
}

__global__ void given(Operation operation, int *out) { out[threadIdx.x] = operation(threadIdx.x, 10); }

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
struct Rectangle : Shape {
  float width, height;
  __device__ Rectangle(float w, float h) : width(w), height(h) {}
  __device__ float area() const override { return width * height; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3 * radius * radius; }
};

__global__ void areas(float *out) {
  Rectangle rectangle(2, threadIdx.x);
  Circle circle(threadIdx.x);
  const Shape *shape = threadIdx.x % 3 ? static_cast<const Shape *>(&rectangle) : &circle;
  out[threadIdx.x] = shape->area();
}

int main() {
  DeviceArray<int> out(64);
  perLane<<<1, 64>>>(out);
  CHECK_LAUNCH();
  std::vector<int> got = out.host();
  for (int i = 0; i < 64; ++i) {
    int expected[4] = {i + 5, i - 5, i * 5, i > 5 ? i : 5};
    CHECK(got[i] == expected[i & 3]);
  }

  Operation fromDevice = nullptr;
  CHECK_CUDA(cudaMemcpyFromSymbol(&fromDevice, chosen, sizeof fromDevice));
  given<<<1, 64>>>(fromDevice, out);
  CHECK_LAUNCH();
  got = out.host();
  for (int i = 0; i < 64; ++i)
    CHECK(got[i] == i - 10);

  DeviceArray<float> surface(64);
  areas<<<1, 64>>>(surface);
  CHECK_LAUNCH();
  std::vector<float> sizes = surface.host();
  for (int i = 0; i < 64; ++i)
    CHECK(sizes[i] == (i % 3 ? 2.0f * i : 3.0f * i * i));
  return pass();
}
