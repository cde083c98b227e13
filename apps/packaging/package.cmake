# The target `package`: a Debian package and a .tar.gz of what `cmake --install` installs. docs/packaging.md says how
# to make them, and debian.cmake what a Debian package has in other places. artefacts.sh makes them for all architectures.

set(TENSOROP_MAINTAINER "tensorop maintainers <tensorop@example.org>" CACHE STRING
  "Who maintains the Debian package: NAME <ADDRESS>")
set(TENSOROP_GLIBC_NOTICES /usr/share/doc/libc6/copyright CACHE FILEPATH
  "The notices of the GNU C Library, which packages of a static binary contain")

set(CPACK_GENERATOR TGZ)
find_program(TENSOROP_DPKG dpkg)
if(TENSOROP_DPKG)
  list(PREPEND CPACK_GENERATOR DEB)
endif()

set(CPACK_PACKAGE_VERSION ${TENSOROP_VERSION})
set(CPACK_PACKAGE_FILE_NAME tensorop-${TENSOROP_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
# "Unspecified" is the component of all that is installed. Named, it has a list of its own: install_manifest.txt, by
# which an installation is removed, stays as it was.
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};tensorop;Unspecified;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# Without a revision: a package that Debian may make of the same version (0.2.0-1) is newer.
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${TENSOROP_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "gather, scatter, join, convert and compare tensors in files")
set(CPACK_PACKAGE_DESCRIPTION
"tensorop gathers, scatters, joins, broadcasts, converts and compares tensors in
files, with the exact semantics of the operator versions that ONNX, PyTorch,
NumPy and others published.
.
It checks the results of other programs against expected ones, and works with
files larger than memory. A result file is written completely or not at all.")
if(NOT TENSOROP_STATIC)
  # Needs dpkg-shlibdeps (package dpkg-dev) and file. A static binary depends on nothing.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()

if(TENSOROP_MPI)
  set(CPACK_TENSOROP_MPI ${CMAKE_BINARY_DIR})
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME tensorop)
  set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME tensorop-mpi)
  set(CPACK_DEBIAN_MPI_DESCRIPTION
"tensorop-mpi computes one call of tensorop, or the jobs of one file, on the
ranks of an MPI job. All ranks must see the same files.")
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS tensorop)
endif()

# Two packages of one source are the same bytes: the time in them is the time of the release, or SOURCE_DATE_EPOCH.
set(CPACK_TENSOROP_RELEASED ${TENSOROP_RELEASED})
set(CPACK_TENSOROP_STATIC ${TENSOROP_STATIC})
set(CPACK_TENSOROP_MAINTAINER ${TENSOROP_MAINTAINER})
set(CPACK_TENSOROP_GLIBC_NOTICES ${TENSOROP_GLIBC_NOTICES})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/copyright.cmake ${CMAKE_CURRENT_LIST_DIR}/debian.cmake
  ${CMAKE_CURRENT_LIST_DIR}/permissions.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/sorted.cmake)
include(CPack)
# No target package_source: git archives the sources.
file(REMOVE ${CMAKE_BINARY_DIR}/CPackSourceConfig.cmake)
