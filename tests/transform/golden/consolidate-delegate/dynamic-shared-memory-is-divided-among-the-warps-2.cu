// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

extern __shared__ int all[];
__global__ void k(float *a, int n) {
  all[threadIdx.x] = n;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
