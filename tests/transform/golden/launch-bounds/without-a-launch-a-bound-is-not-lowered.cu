// heddle opt --assume whole-program --block 256,1,1 -d launch-bounds

__global__ void __launch_bounds__(288) k(float *a) { a[threadIdx.x] = 1.0f; }
