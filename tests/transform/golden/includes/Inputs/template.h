template <class T> __global__ void scale(T *a) { a[threadIdx.x] *= 2.0f; }
