// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void one(int *a) { a[threadIdx.x] = blockIdx.x; }
__global__ void two(int *a) { a[threadIdx.x] = blockIdx.x; }
__global__ void three(int *a, int task) { a[threadIdx.x] = blockIdx.x + task; }
void f(int *a) { one<<<9, 32>>>(a); two<<<9, 32>>>(a); three<<<9, 32>>>(a, 1); }
