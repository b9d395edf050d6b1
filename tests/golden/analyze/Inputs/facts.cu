// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses in many forms, each once: strides, rows of narrow blocks, conditions by thread index, wide types, atomics.
#include <cuda_runtime.h>

struct Cell {
  float a, b, c;
};

__global__ void lanesOff(float *out, const float *in, int *count) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  if (t == 0)
    s[0] = in[blockIdx.x];
  if (t < 16)
    s[t] = in[t];
  if (t % 2 == 0)
    s[t] += in[t + 256];
  if (t >= 40 && t < 48)
    out[t] = s[t];
  if (t == 3 || t > 250)
    s[t] = 1;
  if (t < 8)
    atomicAdd(&count[t], 1);
  __syncthreads();
  if (t > 200)
    return;
  out[t + 512] = s[255 - t];
}

__global__ void strides(float *out, const float *in, const Cell *cells, const double *d, const float4 *v, int stride) {
  __shared__ float s[1024];
  __shared__ double sd[512];
  __shared__ float4 sv[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  s[t + 256] = in[i + 1];
  s[t + 512] = in[2 * t];
  s[t + 768] = in[t * stride];
  sd[t] = d[t];
  sd[2 * t] = d[t / 4];
  sv[t] = v[t];
  __syncthreads();
  out[i] = s[t * 2];
  out[i + 1024] = s[(t * 33) % 1024];
  out[i + 2048] = s[t / 32];
  out[i + 3072] = float(sd[(t * 2) % 512]);
  out[i + 4096] = sv[255 - t].x;
  out[4 * i + 5120] = cells[t].b;
  for (int k = 0; k < 4; ++k)
    out[t * 4 + k] = s[k];
}

__global__ void tiles(float *out, const float *in, int pitch) {
  __shared__ float tile[16][16], padded[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * pitch + x];
  padded[y][x] = in[y * 16 + x];
  __syncthreads();
  out[y * pitch + x] = tile[x][y];
  out[y * 16 + x + 4096] = padded[x][y];
  if (x < 4)
    out[y * 16 + x + 8192] = padded[y][x + 1];
  if (x == 0 && y == 0)
    out[0] = tile[0][0];
}

__global__ void atomics(int *global, int *out) {
  __shared__ int counters[64];
  const int t = threadIdx.x;
  if (t < 64)
    counters[t] = 0;
  __syncthreads();
  atomicAdd(&counters[0], t);
  atomicAdd(&counters[t % 4], t);
  atomicMax(&counters[t % 32], t);
  atomicAdd(&global[0], t);
  atomicAdd(&global[t % 16], t);
  __syncthreads();
  if (t < 64)
    out[t] = counters[t];
}

__global__ void smallBlock(float *out, const float *in) {
  out[threadIdx.x] = in[threadIdx.x * 3];
  if (threadIdx.x & 1)
    out[threadIdx.x + 32] = in[0];
}

__global__ void trips(float *out, const float *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
  for (int j = 0; j < 3; ++j)
    for (int k = 10; k > 0; k -= 4)
      atomicAdd(&out[i + j], float(k));
  int down = 7;
  do {
    atomicAdd(&out[i + down], 1.0f);
    --down;
  } while (down > 2);
  for (unsigned u = 1; u <= 64; u *= 2)
    atomicAdd(&out[u], 1.0f);
  for (int j = 0; j < n; ++j)
    atomicAdd(&out[j], 1.0f);
  for (int j = 0; j < 9; ++j) {
    if (j == n)
      break;
    atomicAdd(&out[i + 16], 1.0f);
    for (int k = 0; k < 2; ++k)
      if (in[i + k] > 0)
        atomicAdd(&out[i + 32], 1.0f);
  }
}

int main() {
  float *out, *in;
  int *count;
  cudaMalloc(&out, 1 << 20);
  cudaMalloc(&in, 1 << 20);
  cudaMalloc(&count, 4096);
  cudaMemset(in, 0, 1 << 20);
  cudaMemset(count, 0, 4096);
  lanesOff<<<2, 256>>>(out, in, count);
  strides<<<4, 256>>>(out, in, reinterpret_cast<const Cell *>(in), reinterpret_cast<const double *>(in),
                      reinterpret_cast<const float4 *>(in), 5);
  tiles<<<2, dim3(16, 16)>>>(out, in, 24);
  atomics<<<2, 128>>>(count, count + 64);
  smallBlock<<<1, 20>>>(out, in);
  trips<<<3, 64>>>(out, in, 4);
  return cudaDeviceSynchronize();
}
