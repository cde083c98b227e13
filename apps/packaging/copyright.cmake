# Run by CPack on the installation that a package is made of: `copyright`, with the notices of all that the binary contains.
set(share ${CPACK_TEMPORARY_DIRECTORY}/share)
if(CPACK_GENERATOR STREQUAL "DEB")
  set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
endif()
set(doc ${share}/doc/tensorop)

file(READ ${CMAKE_CURRENT_LIST_DIR}/copyright copyright)
file(READ ${doc}/third-party.md notices)
string(APPEND copyright "\n\n${notices}")
# A static binary contains glibc, whose own notices Debian has in one file.
if(CPACK_TENSOROP_STATIC)
  if(NOT EXISTS "${CPACK_TENSOROP_GLIBC_NOTICES}")
    message(FATAL_ERROR "TENSOROP_GLIBC_NOTICES: ${CPACK_TENSOROP_GLIBC_NOTICES} does not exist: "
      "a package with a static binary must have the notices of the GNU C Library")
  endif()
  file(READ ${CPACK_TENSOROP_GLIBC_NOTICES} notices)
  string(APPEND copyright
    "\n\n## Notices of the GNU C Library, from ${CPACK_TENSOROP_GLIBC_NOTICES}\n\n${notices}")
endif()
file(WRITE ${doc}/copyright "${copyright}")
