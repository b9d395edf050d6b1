// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b) {
  int some = __syncthreads_count(b[threadIdx.x] > 0.0f);
  if (__syncthreads_or(b[threadIdx.x] > 9.0f))
    some = 0;
  int every = __syncthreads_and(b[threadIdx.x] > 1.0f);
  a[threadIdx.x] = some + every;
}
void f() { k<<<1, 64>>>(nullptr, nullptr); }
