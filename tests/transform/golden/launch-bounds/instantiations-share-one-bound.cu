// heddle opt --assume whole-program -d launch-bounds

template <int N> __global__ void k(float *a) { a[threadIdx.x] = N; }
void f(float *a) { k<1><<<1, 32>>>(a); k<2><<<1, 64>>>(a); }
