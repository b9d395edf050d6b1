// heddle opt --assume whole-program -d "coarsen x=2"

# 1 "library.h" 1 3
template <class T> struct BlockSum { __device__ T sum(T value) {  return value; } };
# 1 "test.cu" 2
template <class T> __global__ void k(T *a) {
  using Sum = BlockSum<T>;
  a[threadIdx.x] = Sum().sum(a[threadIdx.x]);
}
int main() { k<float><<<1, 64>>>(nullptr); }
