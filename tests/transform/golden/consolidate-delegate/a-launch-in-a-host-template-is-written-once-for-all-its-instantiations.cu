// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

template <class T> __global__ void k(T *a) { a[threadIdx.x] = blockIdx.x; }
template <class T> void launch(T *a) { k<T><<<2, 32>>>(a); }
void f(float *a, int *b, char *c) { launch(a), launch(b), launch(c); }
