# The language, the warnings, the hardening. Loaded once, before any target.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
find_program(ECHELON_CCACHE ccache)
if(ECHELON_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ECHELON_CCACHE})
endif()

# At -O2, g++ 12.2 frees a std::expected<std::vector, ...> twice: it takes the pointer of the moved string from before the
# move, where it loaded it as that of the vector (valgrind shows it; docs/decisions/0012-aliasing.md).
set(ECHELON_ALIASING -fno-strict-aliasing)

add_library(echelon_warnings INTERFACE)
target_compile_options(echelon_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wold-style-cast -Wcast-qual -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum)
option(ECHELON_WERROR "warnings are errors (the presets turn it on)" OFF)
if(ECHELON_WERROR)
  target_compile_options(echelon_warnings INTERFACE -Werror)
endif()

set(ECHELON_SANITIZE "" CACHE STRING "address,undefined or thread; empty: none")
if(ECHELON_SANITIZE)
  add_compile_options(-fsanitize=${ECHELON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ECHELON_SANITIZE})
else()
  add_compile_options(-fstack-protector-strong)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  add_link_options(-pie -Wl,-z,relro,-z,now)
  # A compiler without one of these still builds; e2e/image.sh fails on a program that lacks them. -fcf-protection exists on x86 only.
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "ECHELON_HAS${flag}" accepted)
    check_cxx_compiler_flag("-Werror ${flag}" ${accepted})
    if(${accepted})
      add_compile_options(${flag})
    endif()
  endforeach()
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)
