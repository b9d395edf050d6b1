// heddle opt --assume whole-program -d "regroup by=work[i]%Most"

template <class T, int Most>
__global__ void k(T *a, const int *work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < work[i] % Most; ++s)
    a[i] += 1;
}
void f(float *a, int *w) { k<float, 7><<<2, 32>>>(a, w); }
