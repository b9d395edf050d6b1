// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  while (atomicAdd(a, 0.0f) < n)
    ;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
