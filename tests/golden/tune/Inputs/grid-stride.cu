#define NT 128
__global__ void twice(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] *= 2.0f;
}
int main() {
  const int n = 8192;
  float *a, b[n];
  cudaMalloc(&a, sizeof(b));
  cudaMemset(a, 0, sizeof(b));
  twice<<<16, NT>>>(a, n);
  cudaMemcpy(b, a, sizeof(b), cudaMemcpyDeviceToHost);
}
