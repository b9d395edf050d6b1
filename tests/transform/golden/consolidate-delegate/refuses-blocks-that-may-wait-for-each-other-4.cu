// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  a[threadIdx.x] = n;
}
int main() { void *l[] = {nullptr}; cudaLaunchCooperativeKernel((void *)k, dim3(4), dim3(32), l, 0, 0); }
