// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects: made on the host, read and written on the device.
#include <cstring>
#include <cuda_runtime.h>

__global__ void readTextures(cudaTextureObject_t texture, float *out, uchar4 *colours) {
  int i = threadIdx.x;
  float x = float(i), y = 0.5f;
  out[i] = tex1Dfetch<float>(texture, i) + tex1D<float>(texture, x) + tex2D<float>(texture, x, y) +
           tex3D<float>(texture, x, y, 1.0f) + tex2DLayered<float>(texture, x, y, 1) +
           tex1DLayered<float>(texture, x, 2) + tex2D<float2>(texture, x, y).y +
           tex2D<float4>(texture, x, y).w + tex2DLod<float>(texture, x, y, 0.0f);
  colours[i] = tex2D<uchar4>(texture, x, y);
  out[i] += float(tex1Dfetch<int>(texture, i)) + float(tex1Dfetch<unsigned int>(texture, i));
}

__global__ void copySurface(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  int x = threadIdx.x * int(sizeof(float)), y = blockIdx.x;
  float value;
  surf2Dread(&value, from, x, y);
  surf2Dwrite(value, to, x, y, cudaBoundaryModeClamp);
  surf1Dwrite(surf1Dread<int>(from, x), to, x, cudaBoundaryModeZero);
  surf2Dwrite(make_uchar4(1, 2, 3, 4), to, x, y);
}

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 32, 8, cudaArraySurfaceLoadStore);

  cudaResourceDesc resource;
  std::memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);

  readTextures<<<1, 32>>>(texture, nullptr, nullptr);
  copySurface<<<8, 32>>>(surface, surface);
  cudaDestroyTextureObject(texture);
  cudaDestroySurfaceObject(surface);
  return cudaFreeArray(array);
}
