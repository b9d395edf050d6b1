// heddle opt --remarks -d "consolidate remap=off throttle=4"
__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}
void start(float *a, int n) { k<<<100000, 32>>>(a, n); }
