# Run by CPack on the installation that a package is made of. Where the policy of Debian wants another place or form than
# `cmake --install` gives, a file goes there; what the policy demands beside them is made.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
if(CPACK_TENSOROP_MPI)
  set(share ${CPACK_TEMPORARY_DIRECTORY}/Unspecified/usr/share)
  set(mpi_share ${CPACK_TEMPORARY_DIRECTORY}/mpi/usr/share)
endif()
set(doc ${share}/doc/tensorop)

# zsh of Debian looks here, not in site-functions.
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_tensorop ${share}/zsh/vendor-completions/_tensorop)
file(REMOVE_RECURSE ${share}/zsh/site-functions)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH
file(WRITE ${doc}/changelog
"tensorop (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: changes.md in this folder lists what changed.

 -- ${CPACK_TENSOROP_MAINTAINER}  ${date}
")

file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)

if(CPACK_TENSOROP_MPI)
  file(COPY ${doc}/copyright ${doc}/changelog.gz DESTINATION ${mpi_share}/doc/tensorop-mpi)
  execute_process(COMMAND gzip -9n ${mpi_share}/man/man1/tensorop-mpi.1 COMMAND_ERROR_IS_FATAL ANY)
endif()

if(CPACK_TENSOROP_STATIC)
  file(MAKE_DIRECTORY ${share}/lintian/overrides)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${share}/lintian/overrides/tensorop)
  if(CPACK_TENSOROP_MPI)
    # It has the zlib of the static program.
    file(WRITE ${mpi_share}/lintian/overrides/tensorop-mpi "embedded-library zlib [usr/bin/tensorop-mpi]\n")
  endif()
endif()
