// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  volatile float *flag = a;
  while (*flag == 0.0f)
    ;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
