# What the first stage is to make of each program, as PROGRAMS.md has it: the threads that a lane represents, or 32
# where blocks become smaller instead.
set(aggregate
    "histogram_merge x8 long"
    "binomial x8 long"
    "fft512 x2"
    "jacobi x4 long"
    "hotspot x8 long"
    "laplace3d x4 long"
    "matmul x8"
    "scalar_product x8 long"
    "transpose x8 long"
    "nbody x8 long"
    "pathfinder x8 long"
    "monte_carlo x8"
    "bfs 32"
    "sobol x2 long"
    "dct8x8 x2 long"
    "srad_reduce x16 long"
    "backprop x8 long"
    "atax 32 long"
    "gesummv 32 long"
    "syrk 32"
    "bplus_tree x8 long"
    "bounding_box x32 long"
    "block96_scan x3 long"
    "block48_colour x2"
    "block_runtime x32"
    "early_exit x8"
    "dynamic_fir x4 long"
    "block3d_pool x4 long"
    "odd/shapes x4"
    "odd/exits x4"
    "odd/blocks x32")

# What the second stage is to put into registers.
set(remap
    "histogram_merge|remapped 'sums' to 8 registers"
    "binomial|remapped 'values' to 8 registers"
    "jacobi|remapped 'plane' to 4 registers"
    "hotspot|remapped 'heat' and 'next' to 16 registers"
    "nbody|remapped 'tile' to 32 registers|long"
    "pathfinder|remapped 'previous' and 'result' to 16 registers|long"
    "monte_carlo|remapped 'sums' and 'squares' to 16 registers|long"
    "dct8x8|remapped 'pixels' and 'half' to 4 registers"
    "srad_reduce|remapped 'psum' and 'psum2' to 32 registers|long"
    "backprop|remapped 'products' to 8 registers"
    "block96_scan|remapped 'running' to 3 registers"
    "block3d_pool|remapped 'cells' to 4 registers|long")
# What it refuses where nothing but it would do, and why.
set(remapRefused
    "matmul|registers cannot be indexed at run time"
    "transpose|registers cannot be indexed at run time"
    "scalar_product|registers cannot be indexed at run time"
    "sobol|a shuffle that not all lanes execute"
    "early_exit|registers cannot be indexed at run time"
    "dynamic_fir|its size is known only at run time")
