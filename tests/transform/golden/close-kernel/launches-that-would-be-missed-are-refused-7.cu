// heddle opt --arch sm_80

__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
#pragma heddle coarsen grid=2
__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 2; }
template <class T> void run(T *a) { k<<<16, 64>>>(a); }
int main() { run<float>(nullptr); run<int>(nullptr); }
