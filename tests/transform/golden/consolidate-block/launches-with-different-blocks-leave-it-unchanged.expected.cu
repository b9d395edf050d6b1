// heddle opt --assume whole-program -d consolidate

__global__ void k(float *a, const float *b) {
  __shared__ float tile[128];
  tile[threadIdx.x] = b[threadIdx.x];
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    float other = threadIdx.x >= d ? tile[threadIdx.x - d] : 0;
    __syncthreads();
    tile[threadIdx.x] += other;
  }
  a[threadIdx.x] = tile[threadIdx.x];
}
void f(float *a, float *b, int n) {
  k<<<n / 64, 64>>>(a, b);
  k<<<n / 128, 128>>>(a, b);
}
