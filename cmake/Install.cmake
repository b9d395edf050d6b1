# What `make install` puts where: the program, its tables and the headers that emitted code includes.
include(GNUInstallDirs)
install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY arch DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY runtime DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY src/runner/timing DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/runner) # carried with plans
install(FILES src/trace/CopyLog.h DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/src/trace)     # with it
