// A block of 512 threads, and an array of 256 elements.
__global__ void reverse(int *d) {
  __shared__ int s[256];
  const int t = threadIdx.x;

  s[t] = d[t];
  __syncthreads();
  d[t] = s[blockDim.x - 1 - t];
}

int main() {
  int *d;
  cudaMalloc(&d, 512 * sizeof(int));
  cudaMemset(d, 0, 512 * sizeof(int));
  reverse<<<1, 512>>>(d);
  return cudaDeviceSynchronize() != cudaSuccess;
}
