// heddle opt -d "coarsen x=2"

template <class T> __global__ void k(T *a) { a[threadIdx.x] = 1; }
template <> __global__ void k<int>(int *a) { a[threadIdx.x] = 2; }
template <class T> void run(T *a) { k<T><<<1, 64>>>(a); }
int main() { run<float>(nullptr); run<int>(nullptr); }
