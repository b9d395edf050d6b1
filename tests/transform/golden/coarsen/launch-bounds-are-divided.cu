// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void __launch_bounds__(256, 2) k(int *p) { p[threadIdx.x] = 1; }
