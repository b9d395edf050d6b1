// heddle opt -d "coarsen x=2"

template <class T> __global__ void k(T *a) { a[threadIdx.x] = 1; }
template __global__ void k<float>(float *);
void f(float *a) { k<<<8, 256>>>(a); }
