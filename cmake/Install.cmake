# What `make install` puts where: the program, its tables, the headers that emitted code includes, documents and examples.
include(GNUInstallDirs)
install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY arch DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY runtime DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY src/runner/timing DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/runner) # carried with plans
install(FILES src/trace/CopyLog.h src/trace/CopyRecorder.h DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/trace) # with it
install(DIRECTORY src/trace/preload DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/trace)
install(FILES tools/integration/problem-matcher.json DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(PROGRAMS tools/integration/check-static DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle RENAME copyright) # the name that Debian gives it
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle)

# For the build systems of users: headers of emitted code where compilers look, and find_package(Heddle).
install(DIRECTORY runtime/heddle DESTINATION include)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/HeddleConfig.cmake cmake/HeddleOptimize.cmake ${PROJECT_BINARY_DIR}/HeddleConfigVersion.cmake DESTINATION lib/cmake/Heddle)

# Man pages and completion scripts are made by the program itself, from the definitions that it parses its command line with.
set(manuals ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${manuals}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manuals}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manuals}
  COMMAND ${CMAKE_COMMAND} -E env HEDDLE_DATA=${PROJECT_SOURCE_DIR} $<TARGET_FILE:heddle> help --man ${manuals}/man1
  COMMAND ${CMAKE_COMMAND} -E env HEDDLE_DATA=${PROJECT_SOURCE_DIR} $<TARGET_FILE:heddle> help --completion bash > ${manuals}/heddle.bash
  COMMAND ${CMAKE_COMMAND} -E env HEDDLE_DATA=${PROJECT_SOURCE_DIR} $<TARGET_FILE:heddle> help --completion zsh > ${manuals}/heddle.zsh
  COMMAND ${CMAKE_COMMAND} -E env HEDDLE_DATA=${PROJECT_SOURCE_DIR} $<TARGET_FILE:heddle> help --completion fish > ${manuals}/heddle.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/stamp
  DEPENDS heddle COMMENT "Writing man pages and completion scripts")
add_custom_target(manuals ALL DEPENDS ${manuals}/stamp)
install(DIRECTORY ${manuals}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${manuals}/heddle.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME heddle)
install(FILES ${manuals}/heddle.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _heddle)
install(FILES ${manuals}/heddle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
