// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills of every shape: plain, two- and three-dimensional, pitched, between arrays, with and
// without a stated direction, stream-ordered allocation.
#include "Check.h"

#include <cstring>

__global__ void transposeRows(const float *in, size_t inPitch, float *out, size_t outPitch, int width,
                              int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    *(float *)((char *)out + x * outPitch + y * sizeof(float)) =
        *(const float *)((const char *)in + y * inPitch + x * sizeof(float));
}

void testPitched() {
  constexpr int width = 37, height = 21;
  float *a, *b;
  size_t pitchA, pitchB;
  CHECK_CUDA(cudaMallocPitch(reinterpret_cast<void **>(&a), &pitchA, width * sizeof(float), height));
  CHECK_CUDA(cudaMallocPitch(reinterpret_cast<void **>(&b), &pitchB, height * sizeof(float), width));
  CHECK(pitchA >= width * sizeof(float) && pitchA % 32 == 0);
  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i)
    in[i] = float(i);
  CHECK_CUDA(cudaMemcpy2D(a, pitchA, in.data(), width * sizeof(float), width * sizeof(float), height,
                          cudaMemcpyHostToDevice));
  transposeRows<<<dim3(3, 2), dim3(16, 16)>>>(a, pitchA, b, pitchB, width, height);
  CHECK_LAUNCH();
  CHECK_CUDA(cudaMemcpy2D(out.data(), height * sizeof(float), b, pitchB, height * sizeof(float), width,
                          cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      CHECK(out[x * height + y] == in[y * width + x]);

  CHECK_CUDA(cudaMemset2D(a, pitchA, 0x11, 8, height));
  CHECK_CUDA(cudaMemcpy2D(out.data(), width * sizeof(float), a, pitchA, width * sizeof(float), height,
                          cudaMemcpyDefault));
  int word;
  std::memcpy(&word, &out[width + 1], 4);
  CHECK(word == 0x11111111 && out[width + 2] == in[width + 2]);
  CHECK_CUDA(cudaFree(a));
  CHECK_CUDA(cudaFree(b));
}

void testThreeDimensions() {
  constexpr int width = 6, height = 5, depth = 4;
  cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  cudaPitchedPtr box;
  CHECK_CUDA(cudaMalloc3D(&box, extent));
  CHECK_CUDA(cudaMemset3D(box, 0, extent));
  std::vector<int> in(width * height * depth), out(width * height * depth);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in.data(), width * sizeof(int), width, height);
  copy.dstPtr = box;
  copy.srcPos = make_cudaPos(sizeof(int), 1, 0);
  copy.dstPos = make_cudaPos(sizeof(int), 1, 0);
  copy.extent = make_cudaExtent((width - 2) * sizeof(int), height - 2, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK_CUDA(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms back = {};
  back.srcPtr = box;
  back.dstPtr = make_cudaPitchedPtr(out.data(), width * sizeof(int), width, height);
  back.extent = extent;
  back.kind = cudaMemcpyDeviceToHost;
  CHECK_CUDA(cudaMemcpy3D(&back));
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int i = (z * height + y) * width + x;
        bool inside = x >= 1 && x < width - 1 && y >= 1 && y < height - 1;
        CHECK(out[i] == (inside ? in[i] : 0));
      }
  CHECK_CUDA(cudaFree(box.ptr));
}

void testArrays() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  cudaArray_t array;
  CHECK_CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(8, 4, 3)));
  std::vector<short> in(96), out(96);
  for (int i = 0; i < 96; ++i)
    in[i] = short(i * 9);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in.data(), 16, 8, 4);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(8, 4, 3);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK_CUDA(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms back = {};
  back.srcArray = array;
  back.dstPtr = make_cudaPitchedPtr(out.data(), 16, 8, 4);
  back.extent = make_cudaExtent(8, 4, 3);
  back.kind = cudaMemcpyDeviceToHost;
  CHECK_CUDA(cudaMemcpy3D(&back));
  CHECK(in == out);
  cudaChannelFormatDesc seen;
  cudaExtent extent;
  unsigned flags;
  CHECK_CUDA(cudaArrayGetInfo(&seen, &extent, &flags, array));
  CHECK(seen.x == 16 && seen.y == 0 && extent.width == 8 && extent.height == 4 && extent.depth == 3);
  CHECK_CUDA(cudaFreeArray(array));
}

void testPlain() {
  std::vector<char> bytes(1000), back(1000);
  for (int i = 0; i < 1000; ++i)
    bytes[i] = char(i * 3);
  char *a, *b;
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&a), 1000));
  CHECK_CUDA(cudaMallocAsync(reinterpret_cast<void **>(&b), 1000, stream));
  CHECK_CUDA(cudaMemcpy(a, bytes.data(), 1000, cudaMemcpyDefault));
  CHECK_CUDA(cudaMemcpyAsync(b, a, 999, cudaMemcpyDeviceToDevice, stream));
  CHECK_CUDA(cudaMemsetAsync(b + 10, 0xee, 5, stream));
  CHECK_CUDA(cudaMemcpyAsync(back.data(), b, 999, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaFreeAsync(b, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < 999; ++i)
    CHECK(back[i] == (i >= 10 && i < 15 ? char(0xee) : bytes[i]));
  CHECK_CUDA(cudaMemcpy(back.data(), bytes.data(), 1000, cudaMemcpyHostToHost));
  CHECK(back == bytes);
  CHECK_CUDA(cudaFree(a));
  CHECK_CUDA(cudaFree(nullptr));
  CHECK_CUDA(cudaStreamDestroy(stream));
}

int main() {
  testPitched();
  testThreeDimensions();
  testArrays();
  testPlain();
  return pass();
}
