# find_package(Heddle): the program as the target Heddle::heddle, Heddle::runtime, the headers that emitted code includes
# (#include <heddle/...>), and the function heddle_optimize(). Paths follow from where this file is, so the folder of an installation may be moved.
get_filename_component(Heddle_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(Heddle_EXECUTABLE "${Heddle_PREFIX}/bin/heddle")
set(Heddle_INCLUDE_DIR "${Heddle_PREFIX}/include")

foreach(file IN ITEMS "${Heddle_EXECUTABLE}" "${Heddle_INCLUDE_DIR}/heddle/launch.cuh")
  if(NOT EXISTS "${file}")
    set(Heddle_FOUND FALSE)
    set(Heddle_NOT_FOUND_MESSAGE "this installation of Heddle has no ${file}")
    return()
  endif()
endforeach()

if(NOT TARGET Heddle::heddle)
  add_executable(Heddle::heddle IMPORTED)
  set_target_properties(Heddle::heddle PROPERTIES IMPORTED_LOCATION "${Heddle_EXECUTABLE}")
  add_library(Heddle::runtime INTERFACE IMPORTED)
  set_target_properties(Heddle::runtime PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Heddle_INCLUDE_DIR}")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/HeddleOptimize.cmake")
