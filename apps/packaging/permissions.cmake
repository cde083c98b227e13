# Run by CPack on the installation that a package is made of: the same permissions, whatever the umask of the build is.
set(readable OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
set(executable OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
file(CHMOD_RECURSE ${CPACK_TEMPORARY_DIRECTORY}
  FILE_PERMISSIONS ${readable} DIRECTORY_PERMISSIONS ${readable} ${executable})
file(GLOB_RECURSE programs ${CPACK_TEMPORARY_DIRECTORY}/*/bin/* ${CPACK_TEMPORARY_DIRECTORY}/*/*/bin/* ${CPACK_TEMPORARY_DIRECTORY}/bin/*)
file(CHMOD ${programs} PERMISSIONS ${readable} ${executable})
