// heddle opt --assume whole-program -d "specialize by=branch"

template <class T, class I> __global__ void k(T *a, I n) {
  for (I i = threadIdx.x; i < n; i += blockDim.x) {
    if (a[i] > T(0)) a[i] -= T(1); else a[i] += T(2);
  }
}
void f(float *a, double *b) { k<<<1, 64>>>(a, 9); k<<<1, 64>>>(b, 9ll); }
