// heddle opt -k k -d "coarsen x=2"

__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 2; }
template <class T> void run(T *a) { k<<<1, 64>>>(a); }
int main() { run<float>(nullptr); run<int>(nullptr); }
