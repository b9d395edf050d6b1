# heddle_optimize(TARGET [DIRECTIVES "KERNEL: DIRECTIVE"...]): the CUDA files of a target are compiled by `heddle nvcc`, which applies the
# `#pragma heddle` lines in them and in the headers that they include, and the directives given here. A file with such directives may also be
# named: DIRECTIVES_FILE FILE.
#
# Objects depend on the directives: with others, the files are compiled again. A launcher that the target has already, such as ccache, is called
# by Heddle.
function(heddle_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 HEDDLE "" "DIRECTIVES_FILE" "DIRECTIVES")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "heddle_optimize: there is no target '${target}'")
  endif()
  if(HEDDLE_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "heddle_optimize(${target}): '${HEDDLE_UNPARSED_ARGUMENTS}' is neither DIRECTIVES nor DIRECTIVES_FILE")
  endif()
  if(HEDDLE_DIRECTIVES AND HEDDLE_DIRECTIVES_FILE)
    message(FATAL_ERROR "heddle_optimize(${target}): give either DIRECTIVES or DIRECTIVES_FILE")
  endif()

  get_target_property(heddle Heddle::heddle IMPORTED_LOCATION)
  set(launcher "${heddle};nvcc")
  if(HEDDLE_DIRECTIVES)
    set(HEDDLE_DIRECTIVES_FILE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/heddle-directives.txt)
    list(JOIN HEDDLE_DIRECTIVES "\n" lines)
    file(CONFIGURE OUTPUT ${HEDDLE_DIRECTIVES_FILE} CONTENT "${lines}\n" @ONLY) # keeps its time where nothing changes
  endif()
  if(HEDDLE_DIRECTIVES_FILE)
    get_filename_component(file "${HEDDLE_DIRECTIVES_FILE}" ABSOLUTE)
    set(launcher "${CMAKE_COMMAND};-E;env;HEDDLE_DIRECTIVES=${file};${launcher}")
  endif()
  get_target_property(before ${target} CUDA_COMPILER_LAUNCHER)
  if(before AND NOT before MATCHES "heddle;nvcc") # of the whole build
    list(APPEND launcher ${before})
  endif()
  set_target_properties(${target} PROPERTIES CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()
