__device__ float load(const float *a) {
  return a[threadIdx.x];
}
