# cmake -DPROGRAM=tensorop -DSHARE=DIR -P share.cmake: writes manual pages and completions into DIR.
function(print_into file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${SHARE}/man/man1)
execute_process(COMMAND ${PROGRAM} man --list OUTPUT_VARIABLE pages COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" pages "${pages}")
foreach(page ${pages})
  print_into(${SHARE}/man/man1/${page}.1 man ${page})
endforeach()
print_into(${SHARE}/tensorop.bash completion bash)
print_into(${SHARE}/_tensorop completion zsh)
print_into(${SHARE}/tensorop.fish completion fish)
