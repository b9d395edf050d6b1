// heddle opt --assume whole-program --block 256,1,1 --remarks -d auto

__global__ void k(float *a, const float *b) {
  __shared__ float s[256];
  s[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 256; ++j)
    sum += s[j] * float(threadIdx.x);
  a[threadIdx.x] = sum;
}
