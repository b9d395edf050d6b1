# heddle_room(NAME [CLANG] [USES room...] [LINK lib...]): the static library of src/NAME.
#
# A room is every .cpp of its folder. CLANG gives it Clang's and LLVM's headers, precompiled once and shared.
# USES names other rooms; the arrows of the design page are exactly these lists.
function(heddle_room name)
  cmake_parse_arguments(ROOM "CLANG" "" "USES;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(heddle_${name} STATIC ${sources})
  target_include_directories(heddle_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(heddle_${name} PRIVATE ${HEDDLE_WARNINGS})
  foreach(used ${ROOM_USES})
    target_link_libraries(heddle_${name} PUBLIC heddle_${used})
  endforeach()
  target_link_libraries(heddle_${name} PUBLIC fmt::fmt ${ROOM_LINK})
  if(ROOM_CLANG)
    heddle_use_clang(heddle_${name})
  endif()
endfunction()

# Clang's headers as system headers (their warnings are not ours), precompiled once in a library of nothing else.
function(heddle_use_clang target)
  if(NOT TARGET heddle_clang_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/ClangHeaders.cpp "")
    add_library(heddle_clang_headers STATIC ${PROJECT_BINARY_DIR}/ClangHeaders.cpp)
    target_include_directories(heddle_clang_headers SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
    target_compile_options(heddle_clang_headers PRIVATE ${HEDDLE_WARNINGS})
    target_link_libraries(heddle_clang_headers PUBLIC fmt::fmt)
    target_precompile_headers(heddle_clang_headers PRIVATE ${PROJECT_SOURCE_DIR}/cmake/ClangHeaders.h)
  endif()
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_link_libraries(${target} PUBLIC clang-cpp LLVM)
  target_precompile_headers(${target} REUSE_FROM heddle_clang_headers)
endfunction()

# Reading CUDA's headers is most of what compiling a small program costs. Tests that compile many share them, precompiled
# (support/HeaderCache.h); what people do first, and see (golden tests, the documentation), is tested without.
set(HEDDLE_SHARED_HEADERS HEDDLE_HEADER_CACHE=${PROJECT_BINARY_DIR}/headers)

# heddle_tests(ROOM [CLANG] [SHARED_HEADERS] [USES room...]): tests/ROOM/*.cpp as one GoogleTest program.
function(heddle_tests name)
  cmake_parse_arguments(T "CLANG;SHARED_HEADERS" "" "USES;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(heddle_${name}_tests ${sources})
  target_compile_options(heddle_${name}_tests PRIVATE ${HEDDLE_WARNINGS})
  target_include_directories(heddle_${name}_tests PRIVATE ${PROJECT_BINARY_DIR}/tests ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(heddle_${name}_tests PRIVATE ${T_LINK} GTest::gmock GTest::gtest_main)
  if(TARGET heddle_${name}) # tests of headers have no library beneath them
    target_link_libraries(heddle_${name}_tests PRIVATE heddle_${name})
  endif()
  foreach(used ${T_USES})
    target_link_libraries(heddle_${name}_tests PRIVATE heddle_${used})
  endforeach()
  if(T_CLANG)
    heddle_use_clang(heddle_${name}_tests)
  endif()
  set(properties)
  if(T_SHARED_HEADERS)
    set(properties PROPERTIES ENVIRONMENT ${HEDDLE_SHARED_HEADERS})
  endif()
  gtest_discover_tests(heddle_${name}_tests TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 120 ${properties})
endfunction()
