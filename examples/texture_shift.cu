// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image shifted by whole pixels, read through a texture that is bound to pitch-linear memory and wraps
// around at the edges; the result has a pitch of its own. Threads share nothing: what coarsening can gain
// here is index arithmetic.
#include "check.h"

constexpr int Tile = 16;

__global__ void shift(float *out, int pitch, int width, int height, int dx, int dy,
                      cudaTextureObject_t image) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  // Normalized coordinates are what wrapping works on; half a pixel further is the pixel's middle.
  float u = (float(x + dx) + 0.5f) / float(width);
  float v = (float(y + dy) + 0.5f) / float(height);
  out[y * pitch + x] = tex2D<float>(image, u, v);
}

static cudaTextureObject_t textureOf(float *pixels, size_t pitchInBytes, int width, int height) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pixels;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitchInBytes;
  cudaTextureDesc reading = {};
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeWrap;
  reading.filterMode = cudaFilterModePoint;
  reading.normalizedCoords = 1;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
  return texture;
}

int main(int argc, char **argv) {
  const int size = sizeArgument(argc, argv, 64);
  const int width = size, height = size, dx = 5, dy = 3;
  std::vector<float> image(size_t(width) * height), shifted(image.size());
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = float(i % 1009);

  float *pixels = nullptr, *out = nullptr;
  size_t pitch = 0, outPitch = 0;
  const size_t row = width * sizeof(float);
  CHECK(cudaMallocPitch(&pixels, &pitch, row, height));
  CHECK(cudaMallocPitch(&out, &outPitch, row, height));
  CHECK(cudaMemcpy2D(pixels, pitch, image.data(), row, row, height, cudaMemcpyHostToDevice));
  const cudaTextureObject_t texture = textureOf(pixels, pitch, width, height);
  const dim3 block(Tile, Tile);
  const dim3 grid((width + Tile - 1) / Tile, (height + Tile - 1) / Tile);
  shift<<<grid, block>>>(out, int(outPitch / sizeof(float)), width, height, dx, dy, texture);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy2D(shifted.data(), row, out, outPitch, row, height, cudaMemcpyDeviceToHost));

  std::vector<float> wanted(image.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      wanted[size_t(y) * width + x] = image[size_t((y + dy) % height) * width + (x + dx) % width];
  const bool passed = allClose(shifted, wanted, 0.0);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFree(pixels));
  CHECK(cudaFree(out));
  return verdict("texture_shift", passed);
}
