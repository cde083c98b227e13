# A toolchain file: on Debian for x86-64, tensorop for arm64. Needs g++-aarch64-linux-gnu, qemu-user-static, and of the
# architecture arm64 zlib1g-dev (apps/packages.sh installs them).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Manual pages and completions are printed by the program.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# The glibc of the cross compiler has no security updates; libc6-dev, on which zlib1g-dev depends, has them.
set(CMAKE_EXE_LINKER_FLAGS_INIT -B/usr/lib/aarch64-linux-gnu)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
