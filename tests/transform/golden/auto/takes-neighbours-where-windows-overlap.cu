// heddle opt --assume whole-program --remarks -d auto

__global__ void k(float *out, const float *in) {
  __shared__ float piece[272];
  for (int j = threadIdx.x; j < 272; j += 256)
    piece[j] = in[blockIdx.x * 256 + j];
  __syncthreads();
  float sum = 0;
  for (int t = 0; t < 17; ++t)
    sum += piece[threadIdx.x + t];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
void f() { k<<<65536, 256>>>(nullptr, nullptr); }
