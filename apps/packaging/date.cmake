# Read by CPack before it makes a package: the time that the archives state for all files.
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  set(ENV{SOURCE_DATE_EPOCH} ${CPACK_TENSOROP_RELEASED})
endif()
