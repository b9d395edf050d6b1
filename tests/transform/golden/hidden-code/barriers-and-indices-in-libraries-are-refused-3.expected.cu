// heddle opt --assume whole-program -d "coarsen x=2"

# 1 "library.h" 1 3
template <class T> struct BlockSum { __device__ T sum(T value) {  return value; } };
# 1 "test.cu" 2
template <class T> __global__ void k(T *a) {
  using Sum = BlockSum<T>;
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = Sum().sum(a[threadX]);
  }
}
int main() { k<float><<<1, 64 / 2>>>(nullptr); }
