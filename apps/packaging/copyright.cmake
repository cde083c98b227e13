# Run by CPack on the installation that a package is made of: `copyright` in the form of Debian (DEP-5), with the notices of
# all that the binary contains.
set(share ${CPACK_TEMPORARY_DIRECTORY}/share)
if(CPACK_GENERATOR STREQUAL "DEB" AND CPACK_TENSOROP_MPI)
  set(share ${CPACK_TEMPORARY_DIRECTORY}/Unspecified/usr/share)
elseif(CPACK_GENERATOR STREQUAL "DEB")
  set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
endif()
set(doc ${share}/doc/tensorop)

# A field goes on in lines that begin with a space; an empty line is a dot.
function(read_as_field variable file)
  file(READ ${file} text)
  string(STRIP "${text}" text)
  string(REPLACE "\n" "\n " text "${text}")
  string(REGEX REPLACE "\n [ \t]*\n" "\n .\n" text "${text}")
  string(REGEX REPLACE "\n [ \t]*\n" "\n .\n" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

read_as_field(licence ${CMAKE_CURRENT_LIST_DIR}/licence.txt)
read_as_field(notices ${doc}/third-party.md)
set(notices " .\n ${notices}")
# A static binary contains glibc, whose own notices Debian has in one file.
if(CPACK_TENSOROP_STATIC)
  if(NOT EXISTS "${CPACK_TENSOROP_GLIBC_NOTICES}")
    message(FATAL_ERROR "TENSOROP_GLIBC_NOTICES: ${CPACK_TENSOROP_GLIBC_NOTICES} does not exist: "
      "a package with a static binary must have the notices of the GNU C Library")
  endif()
  read_as_field(glibc ${CPACK_TENSOROP_GLIBC_NOTICES})
  string(APPEND notices
    "\n .\n ## Notices of the GNU C Library, from ${CPACK_TENSOROP_GLIBC_NOTICES}\n .\n ${glibc}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${doc}/copyright @ONLY)
