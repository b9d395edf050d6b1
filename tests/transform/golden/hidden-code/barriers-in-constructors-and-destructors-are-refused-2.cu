// heddle opt --assume whole-program -d "coarsen x=2"

struct S { __device__ ~S() { __syncthreads(); } };
__global__ void k(int *a) { __shared__ int t[64]; { S s; t[threadIdx.x] = 1; } a[threadIdx.x] = t[63 - threadIdx.x]; }
int main() { k<<<1, 64>>>(nullptr); }
