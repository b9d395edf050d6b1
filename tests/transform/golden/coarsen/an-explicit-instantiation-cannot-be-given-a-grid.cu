// heddle opt --assume whole-program -d "coarsen grid=2"

template <class T> __global__ void k(T *a) { a[blockIdx.x * 64 + threadIdx.x] = 1; }
template __global__ void k<float>(float *);
void f(float *a, int n) { k<<<n, 64>>>(a); }
