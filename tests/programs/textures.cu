// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface objects: of plain memory, pitched memory and arrays; points and linear filtering;
// address modes; normalised reads; surface reads and writes.
#include "Check.h"

__global__ void fetchLinear(cudaTextureObject_t texture, float *out, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[i] = tex1Dfetch<float>(texture, n - 1 - i);
}

__global__ void sample2d(cudaTextureObject_t texture, float *out, int width, int height, float dx, float dy) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = tex2D<float>(texture, x + dx, y + dy);
}

__global__ void sampleColours(cudaTextureObject_t texture, float4 *out, int width) {
  int x = threadIdx.x;
  out[x] = tex2D<float4>(texture, (x + 0.5f) / width, 0.5f);
}

__global__ void invert(cudaSurfaceObject_t surface, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) {
    int value;
    surf2Dread(&value, surface, x * 4, y);
    surf2Dwrite(1000 - value, surface, x * 4, y);
  }
}

cudaTextureObject_t makeTexture(const cudaResourceDesc &resource, cudaTextureFilterMode filter,
                                cudaTextureAddressMode address, cudaTextureReadMode read, bool normalised) {
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = address;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalised;
  cudaTextureObject_t texture = 0;
  CHECK_CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

constexpr int width = 20, height = 12;

void testLinearMemory() {
  std::vector<float> values(50);
  for (int i = 0; i < 50; ++i)
    values[i] = i * 1.5f;
  DeviceArray<float> in(values), out(50);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = static_cast<float *>(in);
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 50 * sizeof(float);
  cudaTextureObject_t texture =
      makeTexture(resource, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeElementType, false);
  fetchLinear<<<1, 64>>>(texture, out, 50);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int i = 0; i < 50; ++i)
    CHECK(got[i] == (49 - i) * 1.5f);
  CHECK_CUDA(cudaDestroyTextureObject(texture));
}

void testArray() {
  std::vector<float> picture(width * height);
  for (int i = 0; i < width * height; ++i)
    picture[i] = float((i % width) * 4 + (i / width) * 64);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK_CUDA(cudaMallocArray(&array, &format, width, height));
  CHECK_CUDA(cudaMemcpy2DToArray(array, 0, 0, picture.data(), width * sizeof(float), width * sizeof(float),
                                 height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  auto at = [&](int x, int y) {
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return picture[y * width + x];
  };
  DeviceArray<float> out(width * height);
  dim3 grid(3, 2), block(8, 8);

  cudaTextureObject_t points =
      makeTexture(resource, cudaFilterModePoint, cudaAddressModeClamp, cudaReadModeElementType, false);
  sample2d<<<grid, block>>>(points, out, width, height, -2.5f, 3.5f);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      CHECK(got[y * width + x] == at(x - 3, y + 3));
  CHECK_CUDA(cudaDestroyTextureObject(points));

  cudaTextureObject_t smooth =
      makeTexture(resource, cudaFilterModeLinear, cudaAddressModeClamp, cudaReadModeElementType, false);
  sample2d<<<grid, block>>>(smooth, out, width, height, 0.75f, 0.5f);
  CHECK_LAUNCH();
  got = out.host();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      CHECK(got[y * width + x] == 0.75f * at(x, y) + 0.25f * at(x + 1, y));
  CHECK_CUDA(cudaDestroyTextureObject(smooth));

  cudaTextureObject_t bordered =
      makeTexture(resource, cudaFilterModePoint, cudaAddressModeBorder, cudaReadModeElementType, false);
  sample2d<<<grid, block>>>(bordered, out, width, height, 1.5f, 0.5f);
  CHECK_LAUNCH();
  got = out.host();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      CHECK(got[y * width + x] == (x + 1 < width ? at(x + 1, y) : 0));
  CHECK_CUDA(cudaDestroyTextureObject(bordered));
  CHECK_CUDA(cudaFreeArray(array));
}

void testColours() {
  uchar4 *pixels;
  size_t pitch;
  CHECK_CUDA(cudaMallocPitch(reinterpret_cast<void **>(&pixels), &pitch, 16 * sizeof(uchar4), 4));
  std::vector<uchar4> row(16);
  for (int i = 0; i < 16; ++i)
    row[i] = make_uchar4(i * 17, 255 - i * 17, 0, 255);
  for (int y = 0; y < 4; ++y)
    CHECK_CUDA(
        cudaMemcpy(reinterpret_cast<char *>(pixels) + y * pitch, row.data(), 64, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pixels;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.pitch2D.width = 16;
  resource.res.pitch2D.height = 4;
  resource.res.pitch2D.pitchInBytes = pitch;
  cudaTextureObject_t texture =
      makeTexture(resource, cudaFilterModePoint, cudaAddressModeWrap, cudaReadModeNormalizedFloat, true);
  DeviceArray<float4> out(32);
  sampleColours<<<1, 32>>>(texture, out, 16);
  CHECK_LAUNCH();
  std::vector<float4> got = out.host();
  for (int i = 0; i < 32; ++i) {
    CHECK(got[i].x == row[i % 16].x / 255.0f && got[i].y == row[i % 16].y / 255.0f);
    CHECK(got[i].z == 0 && got[i].w == 1);
  }
  CHECK_CUDA(cudaDestroyTextureObject(texture));
  CHECK_CUDA(cudaFree(pixels));
}

void testSurface() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CHECK_CUDA(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  std::vector<int> values(width * height), back(width * height);
  for (int i = 0; i < width * height; ++i)
    values[i] = i * 3;
  CHECK_CUDA(
      cudaMemcpy2DToArray(array, 0, 0, values.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK_CUDA(cudaCreateSurfaceObject(&surface, &resource));
  invert<<<height, 32>>>(surface, width, height);
  CHECK_LAUNCH();
  CHECK_CUDA(
      cudaMemcpy2DFromArray(back.data(), width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i)
    CHECK(back[i] == 1000 - values[i]);
  CHECK_CUDA(cudaDestroySurfaceObject(surface));
  CHECK_CUDA(cudaFreeArray(array));
}

int main() {
  testLinearMemory();
  testArray();
  testColours();
  testSurface();
  return pass();
}
