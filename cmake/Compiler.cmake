# Flags that hold for every file of ours.
# libstdc++ 12 uses its own deprecated get_temporary_buffer inside stable_sort, hence -Wno-deprecated-declarations.
set(HEDDLE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wno-deprecated-declarations -Wno-missing-field-initializers
                    -Werror)

# PTX says where a multiply and an add are one rounding and where they are two, and so do generated kernels that the host executes; the host
# compiler must not decide. Nobody reads errno after a square root, and asking for it would keep loops over lanes from vectorizing. These
# flags hold for all modules, since a precompiled header must have the flags of its users.
add_compile_options(-ffp-contract=off -fno-math-errno)

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers are found through ccache only when it does not insist on their time stamps.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

find_program(LLD NAMES ld.lld-22 ld.lld)
if(LLD)
  add_link_options(-fuse-ld=${LLD})
endif()

if(HEDDLE_SANITIZE)
  # Loops over the lanes of a warp are not vectorized with checks in them, which is no mistake.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1 -gline-tables-only
                      -Wno-pass-failed)
  add_link_options(-fsanitize=address,undefined)
  # Heddle's programs hold the runtime of the sanitizers; simulated programs, which only load a library of Heddle's, load it too.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
                  OUTPUT_VARIABLE HEDDLE_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS "${HEDDLE_SANITIZER_RUNTIME}")
    message(FATAL_ERROR "HEDDLE_SANITIZE needs Clang's shared runtime of the address sanitizer (package libclang-rt-22-dev)")
  endif()
endif()

# One precompiled header serves libraries and programs only if both are compiled alike.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
