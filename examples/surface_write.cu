// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image written through a surface into a CUDA array, then read back through a texture of the same array
// and turned by a quarter. Two kernels; neither shares a load between threads.
#include "check.h"

constexpr int Tile = 16;

__global__ void writeImage(cudaSurfaceObject_t image, const float *pixels, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    surf2Dwrite(pixels[y * width + x], image, x * int(sizeof(float)), y); // x counts in bytes
}

__global__ void turn(float *out, cudaTextureObject_t image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2D<float>(image, float(width - 1 - y) + 0.5f, float(x) + 0.5f);
}

static cudaTextureObject_t textureOf(const cudaResourceDesc &resource) {
  cudaTextureDesc reading = {};
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  reading.filterMode = cudaFilterModePoint;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
  return texture;
}

int main(int argc, char **argv) {
  const int size = sizeArgument(argc, argv, 64); // square, so that the turned image fits
  std::vector<float> pixels(size_t(size) * size), turned(pixels.size()), wanted(pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = float(i % 2003) - 1000.0f;

  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &channel, size, size, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  const cudaTextureObject_t texture = textureOf(resource);

  float *devicePixels = toDevice(pixels);
  float *deviceTurned = toDevice(turned);
  const dim3 block(Tile, Tile);
  const dim3 grid((size + Tile - 1) / Tile, (size + Tile - 1) / Tile);
  writeImage<<<grid, block>>>(surface, devicePixels, size, size);
  turn<<<grid, block>>>(deviceTurned, texture, size, size);
  CHECK(cudaGetLastError());
  toHost(turned, deviceTurned);

  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x)
      wanted[size_t(y) * size + x] = pixels[size_t(x) * size + (size - 1 - y)];
  const bool passed = allClose(turned, wanted, 0.0);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(devicePixels));
  CHECK(cudaFree(deviceTurned));
  return verdict("surface_write", passed);
}
