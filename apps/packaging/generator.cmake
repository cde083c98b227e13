# Read by CPack before it makes a package.

# Debian has tensorop-mpi as a package of its own.
if(CPACK_GENERATOR STREQUAL "DEB" AND CPACK_TENSOROP_MPI)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_ALL Unspecified mpi)
  set(CPACK_INSTALL_CMAKE_PROJECTS ${CPACK_TENSOROP_MPI} tensorop ALL /)
endif()

# The time that the archives state for all files.
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  set(ENV{SOURCE_DATE_EPOCH} ${CPACK_TENSOROP_RELEASED})
endif()
