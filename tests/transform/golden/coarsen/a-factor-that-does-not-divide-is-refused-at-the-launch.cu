// heddle opt --assume whole-program -d "coarsen x=4"

__global__ void k(float *a) {
  a[threadIdx.x] = 1.0f;
}
int main() { k<<<1, 250>>>(nullptr); }
