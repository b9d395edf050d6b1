// heddle opt -d "coarsen x=2"

template <class T>
__global__ void __launch_bounds__(256) k(T *a) {
  a[threadIdx.x] *= 2;
}
void f(float *a) { k<<<8, 256>>>(a); }
