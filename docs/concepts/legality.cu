// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples of docs/concepts/legality.md.

static __global__ void reverse(float *out, const float *in) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  out[i] = tile[255 - threadIdx.x];
}

static __global__ void shift(float *out, const float *in, int n) {
  float *own = out + threadIdx.x * n;
  for (int i = 0; i < n; ++i) {
    own[i] = in[i] * 2.0f;
    own[i] += in[i + 1];
  }
}

static __global__ void guarded(float *out, const float *in, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[255 - threadIdx.x];
  }
}

void launchAll(float *out, const float *in, int n) {
  reverse<<<n / 256, 256>>>(out, in);
  shift<<<1, 256>>>(out, in, n);
  guarded<<<(n + 255) / 256, 256>>>(out, in, n);
}
