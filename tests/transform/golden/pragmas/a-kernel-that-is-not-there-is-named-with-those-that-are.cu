// heddle opt --assume whole-program -k sacle -d "coarsen x=2"

__global__ void scale(int *p) { *p = 1; }
