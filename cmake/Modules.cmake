# Where packages have the shared libraries of others (tools/package), relative to the prefix. Installed programs look there first, by
# DT_RPATH: unlike DT_RUNPATH it also holds for what those libraries need themselves.
set(HEDDLE_PACKAGED_LIBRARIES lib/heddle/llvm/lib)

# heddle_module(NAME [CLANG] [OPTIMIZED] [FOLDERS folder...] [USES module...] [LINK lib...] [PRECOMPILE set|header...] [APART file...]): the static
# library of src/NAME.
#
# A module is every .cpp of its folder, and of those of its folders that are named (*: all of them). CLANG gives it Clang's and LLVM's headers.
# USES names other modules; the arrows of the design page are exactly these lists. What is precompiled for it is the set `clang` or `standard`
# (heddle_precompile), or what PRECOMPILE says. OPTIMIZED: its run time matters (heddle_optimization). APART: heddle_unity.
function(heddle_module name)
  cmake_parse_arguments(MODULE "CLANG;OPTIMIZED" "" "FOLDERS;USES;LINK;PRECOMPILE;APART" ${ARGN})
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
  endif()
  if(MODULE_OPTIMIZED)
    heddle_optimization(heddle_${name} -O2 options)
  else()
    heddle_optimization(heddle_${name} -O0 options)
  endif()
  if(MODULE_PRECOMPILE)
    heddle_precompile(heddle_${name} ${MODULE_PRECOMPILE} ${options})
  elseif(MODULE_CLANG)
    heddle_precompile(heddle_${name} clang ${options})
  else()
    heddle_precompile(heddle_${name} standard ${options})
  endif()
  heddle_unity(heddle_${name} APART ${MODULE_APART})
endfunction()

# heddle_optimization(TARGET LEVEL RESULT): the LEVEL of a quick build; RESULT has the OPTIONS for heddle_precompile. The optimizer takes more than
# half of what a file costs, and code that mostly waits for Clang, for child processes or for the disk is not slower without it. -O3 takes 10 to 20 %
# longer than -O2, for nothing that a test would notice.
function(heddle_optimization target level result)
  set(${result} PARENT_SCOPE)
  if(HEDDLE_QUICK AND NOT HEDDLE_SANITIZE)
    target_compile_options(${target} PRIVATE ${level})
    set(${result} OPTIONS ${level} PARENT_SCOPE)
  endif()
endfunction()

# heddle_unity(TARGET [APART file...]): sources of TARGET are compiled several at a time, as one text: what they include is read, and templates
# that they use are instantiated, once. Without optimization that is most of the time: 32 take that of 16 in texts of eight, and 64 four
# fifths of that of two texts of 32; where there are cores for them, smaller texts are compiled sooner. With optimization, eight are enough.
# Names of a module, also in unnamed namespaces, must therefore differ; files that declare a name otherwise
# than their neighbours are named APART (Exec*.cpp: all of those; *: all). A parameter that has the name of a neighbour's function is no mistake, hence -Wno-shadow: `make
# tidy-changed`, which compiles each file by itself, has the warning.
function(heddle_unity target)
  cmake_parse_arguments(UNITY "" "" "APART" ${ARGN})
  if(HEDDLE_UNITY AND NOT UNITY_APART STREQUAL "*")
    get_target_property(options ${target} COMPILE_OPTIONS)
    set(at_once 8)
    if("-O0" IN_LIST options)
      cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
      set(at_once 64)
      if(cores GREATER 4)
        set(at_once 32)
      endif()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${at_once})
    if(UNITY_APART)
      file(GLOB apart CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${UNITY_APART})
      set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()

# Clang's headers as system headers (their warnings are not ours), and its libraries.
function(heddle_use_clang target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_link_libraries(${target} PUBLIC clang-cpp LLVM)
endfunction()

# heddle_continue_precompiled(LIBRARY BEFORE): what LIBRARY precompiles continues what the target BEFORE does.
function(heddle_continue_precompiled library before)
  get_target_property(folder ${before} BINARY_DIR)
  set(precompiled ${folder}/CMakeFiles/${before}.dir/cmake_pch.hxx.pch)
  # Without times: what ccache has kept of it continues a file that has been written anew.
  target_compile_options(${library} PRIVATE "SHELL:-Xclang -fno-pch-timestamp -Xclang -include-pch -Xclang ${precompiled}")
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${library}.dir/cmake_pch.hxx.cxx PROPERTIES OBJECT_DEPENDS ${precompiled})
  add_dependencies(${library} ${before})
endfunction()

# heddle_precompile(TARGET SET... [OPTIONS option...]): headers that TARGET finds precompiled. Most of what a source file costs is reading others' headers.
#
# A SET is a file of cmake/: standard (the standard library, fmt, nlohmann), clang (Clang, what writes LLVM's IR, fmt, nlohmann) or test (GoogleTest). A set, or several
# together, is compiled once for all targets that name it with the same OPTIONS. `test` continues what `clang` before it, or `standard`, was
# compiled to for modules (Clang's chained precompiled headers), so that their headers are read once. Headers of Heddle's own may follow the
# sets; TARGET then has precompiled headers of its own.
function(heddle_precompile target)
  cmake_parse_arguments(P "" "" "OPTIONS" ${ARGN})
  set(names)
  set(files)
  set(own)
  foreach(word ${P_UNPARSED_ARGUMENTS})
    string(SUBSTRING ${word} 0 1 first)
    string(TOUPPER ${first} first)
    string(REGEX REPLACE "^.(.*)" "${first}\\1Headers.h" file ${word})
    if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/${file})
      list(APPEND names ${word})
      list(APPEND files ${PROJECT_SOURCE_DIR}/cmake/${file})
    else()
      list(APPEND own ${PROJECT_SOURCE_DIR}/src/${word})
    endif()
  endforeach()
  if(own)
    target_precompile_headers(${target} PRIVATE ${files} ${own})
    return()
  endif()
  string(REPLACE ";" "_" library "heddle_${names}${P_OPTIONS}_headers")
  if(NOT TARGET ${library})
    file(WRITE ${PROJECT_BINARY_DIR}/precompiled/${library}.cpp "")
    add_library(${library} STATIC ${PROJECT_BINARY_DIR}/precompiled/${library}.cpp)
    target_compile_options(${library} PRIVATE ${HEDDLE_WARNINGS} ${P_OPTIONS})
    target_link_libraries(${library} PRIVATE fmt::fmt nlohmann_json::nlohmann_json GTest::gmock)
    target_include_directories(${library} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
    if("test" IN_LIST names)
      set(module_set standard)
      if("clang" IN_LIST names)
        set(module_set clang)
      endif()
      set(continued heddle_${module_set}${P_OPTIONS}_headers)
      if(TARGET ${continued})
        list(FILTER files INCLUDE REGEX TestHeaders)
        heddle_continue_precompiled(${library} ${continued})
      endif()
    endif()
    target_precompile_headers(${library} PRIVATE ${files})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${library})
endfunction()

# heddle_embed(NAME FOLDER INCLUDE SIGNATURE): the files of src/NAME/FOLDER become part of the library, so that the program needs none of
# them where it is installed. A function of that signature, which INCLUDE declares, gives the text of a file by its `name`.
#
# Written while CMake configures, which it does again when a file changes: CMake lets a command that makes a source wait for all libraries that
# the library uses, and every file of `report` and of what uses it for that source. Two cores then compiled one file for 50 s.
function(heddle_embed name folder include signature)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${folder}.cpp)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake)
  execute_process(COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR}/${folder} -DOUT=${out} -DINCLUDE=${include}
                          -DSIGNATURE=${signature} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake COMMAND_ERROR_IS_FATAL ANY)
  target_sources(heddle_${name} PRIVATE ${out})
endfunction()

# Reading CUDA's headers is most of what compiling a small program costs. Tests share them, precompiled (support/HeaderCache.h), in the build
# folder, and what programs were compiled to (build/CompileCache.h); tests/golden/run has programs that are compiled without.
set(HEDDLE_SHARED_HEADERS HEDDLE_HEADER_CACHE=${PROJECT_BINARY_DIR}/headers HEDDLE_COMPILE_CACHE=${PROJECT_BINARY_DIR}/compiled)

# heddle_tests(NAME [CLANG] [OPTIMIZED] [FOLDER folder] [USES module...] [APART file...] [TOGETHER filter...]): tests/NAME/*.cpp, or
# tests/FOLDER/*.cpp, as one GoogleTest program. Each case is a test of CTest's and a process of its own. Those that a filter after TOGETHER
# matches run in one process, since they share what is expensive to make, or are many and short; FILTER|4: in four. Such a test
# is skipped where all of its cases are.
#
# What it tests is optimized as always; its own code, which runs once, only where OPTIMIZED says so: optimizing it would
# double what a test costs to compile.
function(heddle_tests name)
  cmake_parse_arguments(T "CLANG;OPTIMIZED" "FOLDER" "USES;LINK;APART;TOGETHER" ${ARGN})
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
  set(options)
  if(T_OPTIMIZED)
    heddle_optimization(heddle_${name}_tests -O2 options)
  elseif(NOT HEDDLE_SANITIZE)
    set(options OPTIONS -O0)
    target_compile_options(heddle_${name}_tests PRIVATE -O0)
  endif()
  if(T_CLANG)
    heddle_use_clang(heddle_${name}_tests)
    heddle_precompile(heddle_${name}_tests clang test ${options})
  else()
    heddle_precompile(heddle_${name}_tests test ${options})
  endif()
  list(TRANSFORM T_APART REPLACE ".*cpp" "${CMAKE_CURRENT_SOURCE_DIR}/${T_FOLDER}/\\0")
  heddle_unity(heddle_${name}_tests APART ${T_APART})
  set(others)
  foreach(filter ${T_TOGETHER})
    string(REGEX MATCH "^([^|]*)[|]?([0-9]*)$" whole ${filter})
    set(filter ${CMAKE_MATCH_1})
    set(parts 1)
    if(CMAKE_MATCH_2)
      set(parts ${CMAKE_MATCH_2})
    endif()
    string(APPEND others ":${filter}")
    foreach(part RANGE 1 ${parts})
      math(EXPR index "${part} - 1")
      string(REGEX REPLACE "[./][*]$" "" test ${name}.${filter})
      if(parts GREATER 1)
        string(APPEND test ".part${part}")
      endif()
      add_test(NAME ${test} COMMAND heddle_${name}_tests --gtest_filter=${filter} --gtest_brief=1)
      set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "PASSED  . 0 tests.[\r\n]+.  SKIPPED" FAIL_REGULAR_EXPRESSION "] 0 tests from 0 test suites"
                           ENVIRONMENT "${HEDDLE_SHARED_HEADERS};GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
    endforeach()
  endforeach()
  string(REGEX REPLACE "^:" "-" others "${others}")
  gtest_discover_tests(heddle_${name}_tests TEST_PREFIX "${name}." TEST_FILTER "${others}" DISCOVERY_TIMEOUT 120
                       PROPERTIES ENVIRONMENT "${HEDDLE_SHARED_HEADERS}")
endfunction()
