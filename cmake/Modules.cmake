# Where packages have the shared libraries of others (tools/package), relative to the prefix. Installed programs look there first, by
# DT_RPATH: unlike DT_RUNPATH it also holds for what those libraries need themselves.
set(HEDDLE_PACKAGED_LIBRARIES lib/heddle/llvm/lib)

# heddle_module(NAME [CLANG] [FOLDERS folder...] [USES module...] [LINK lib...] [HEADERS header...]): the static library of src/NAME.
#
# A module is every .cpp of its folder, and of those of its folders that are named (*: all of them). CLANG gives it Clang's and LLVM's headers, precompiled once and shared.
# USES names other modules; the arrows of the design page are exactly these lists. HEADERS are precompiled for this module alone.
function(heddle_module name)
  cmake_parse_arguments(MODULE "CLANG" "" "FOLDERS;USES;LINK;HEADERS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(folder ${MODULE_FOLDERS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(heddle_${name} STATIC ${sources})
  target_include_directories(heddle_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(heddle_${name} PRIVATE ${HEDDLE_WARNINGS})
  foreach(used ${MODULE_USES})
    target_link_libraries(heddle_${name} PUBLIC heddle_${used})
  endforeach()
  target_link_libraries(heddle_${name} PUBLIC fmt::fmt ${MODULE_LINK})
  if(MODULE_CLANG)
    heddle_use_clang(heddle_${name})
  elseif(MODULE_HEADERS)
    target_precompile_headers(heddle_${name} PRIVATE ${MODULE_HEADERS})
  elseif(HEDDLE_PRECOMPILE_STANDARD AND NOT name STREQUAL "semantics") # of which the headers of the simulator's modules get their flags
    heddle_use_standard_headers(heddle_${name})
  endif()
endfunction()

# Headers of the standard library and of fmt.
function(heddle_use_standard_headers target)
  heddle_share_precompiled(${target} standard cmake/StandardHeaders.h fmt::fmt)
endfunction()

# heddle_share_precompiled(TARGET NAME HEADER LINK...): HEADER of this tree, precompiled once for all targets that share NAME, and once more for those
# that are compiled with the simulator's arithmetic flags (src/semantics): a precompiled header must have the flags of its users.
function(heddle_share_precompiled target name header)
  heddle_has_flags_of_simulator(${target} isSimulator)
  set(library heddle_${name}_headers)
  if(isSimulator)
    set(library heddle_simulator_${name}_headers)
  endif()
  if(NOT TARGET ${library})
    file(WRITE ${PROJECT_BINARY_DIR}/${name}Headers.cpp "")
    add_library(${library} STATIC ${PROJECT_BINARY_DIR}/${name}Headers.cpp)
    target_compile_options(${library} PRIVATE ${HEDDLE_WARNINGS})
    target_link_libraries(${library} PUBLIC ${ARGN})
    if(isSimulator)
      target_link_libraries(${library} PUBLIC heddle_semantics)
    endif()
    target_precompile_headers(${library} PRIVATE ${PROJECT_SOURCE_DIR}/${header})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${library})
endfunction()

# heddle_embed(NAME FOLDER INCLUDE SIGNATURE): the files of src/NAME/FOLDER become part of the library, so that the program needs none of
# them where it is installed. A function of that signature, which INCLUDE declares, gives the text of a file by its `name`.
function(heddle_embed name folder include signature)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*)
  add_custom_command(OUTPUT ${out} DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/${folder} -DOUT=${out} -DINCLUDE=${include}
            "-DSIGNATURE=${signature}" -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake)
  target_sources(heddle_${name} PRIVATE ${out})
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

# GoogleTest's headers are most of what a test costs to compile.
function(heddle_use_gtest target)
  heddle_share_precompiled(${target} test cmake/TestHeaders.h GTest::gmock fmt::fmt nlohmann_json::nlohmann_json)
endfunction()

# Whether a target is linked, by whatever way, with the module of arithmetic.
function(heddle_has_flags_of_simulator target result)
  set(${result} FALSE PARENT_SCOPE)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  foreach(library ${libraries})
    if(library STREQUAL "heddle_semantics")
      set(${result} TRUE PARENT_SCOPE)
    elseif(library MATCHES "^heddle_" AND TARGET ${library})
      heddle_has_flags_of_simulator(${library} inner)
      if(inner)
        set(${result} TRUE PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()

# Reading CUDA's headers is most of what compiling a small program costs. Tests that compile many share them, precompiled
# (support/HeaderCache.h); what people do first, and see (golden tests, the documentation), is tested without.
set(HEDDLE_SHARED_HEADERS HEDDLE_HEADER_CACHE=${PROJECT_BINARY_DIR}/headers)

# heddle_tests(NAME [CLANG] [SHARED_HEADERS] [FOLDER folder] [USES module...]): tests/NAME/*.cpp, or tests/FOLDER/*.cpp, as one
# GoogleTest program.
function(heddle_tests name)
  cmake_parse_arguments(T "CLANG;SHARED_HEADERS" "FOLDER" "USES;LINK" ${ARGN})
  if(NOT T_FOLDER)
    set(T_FOLDER ${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${T_FOLDER}/*.cpp)
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
  else()
    heddle_use_gtest(heddle_${name}_tests)
  endif()
  set(properties)
  if(T_SHARED_HEADERS)
    set(properties PROPERTIES ENVIRONMENT ${HEDDLE_SHARED_HEADERS})
  endif()
  gtest_discover_tests(heddle_${name}_tests TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 120 ${properties})
endfunction()
