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
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)
