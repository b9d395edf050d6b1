// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A read through a texture of pitch-linear memory, and a write to a surface.
// axes: x y xy
#include "Harness.h"

__global__ void readTexture(float *out, int width, int height, float dx, float dy, cudaTextureObject_t texture) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = tex2D<float>(texture, (x + dx) / float(width), (y + dy) / float(height));
}

__global__ void writeSurface(const float *in, int width, cudaSurfaceObject_t surface) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  surf2Dwrite(in[y * width + x] * 2.0f, surface, x * 4, y);
}

int main() {
  const int width = 64, height = 32;
  const std::vector<float> image = values<float>(width * height);
  float *pitched = nullptr, *out = zeros<float>(width * height);
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, width * sizeof(float), height));
  CHECK(cudaMemcpy2D(pitched, pitch, image.data(), width * sizeof(float), width * sizeof(float), height,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
  description.filterMode = cudaFilterModePoint;
  description.normalizedCoords = 1;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  const dim3 block(16, 16);
  readTexture<<<dim3(width / 16, height / 16), block>>>(out, width, height, 3.0f, 5.0f, texture);
  bring("texture", out, width * height);

  cudaArray_t array = nullptr;
  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &channel, width, height, cudaArraySurfaceLoadStore));
  cudaResourceDesc target = {};
  target.resType = cudaResourceTypeArray;
  target.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &target));
  writeSurface<<<dim3(width / 16, height / 16), block>>>(out, width, surface);
  std::vector<float> back(width * height);
  CHECK(cudaMemcpy2DFromArray(back.data(), width * sizeof(float), array, 0, 0, width * sizeof(float), height,
                              cudaMemcpyDeviceToHost));
  std::printf("surface %.3f\n", double(back[17]));
}
