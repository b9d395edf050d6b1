// heddle opt --assume whole-program -d "coarsen x=1|2"

__global__ void a(int *p) { *p = 1; }
