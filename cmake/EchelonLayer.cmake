# echelon_layer(NAME USES layers... LINKS packages... [ALIASES]): makes a static library of one folder, and echelon::NAME.
# ALIASES: compiles with -fno-strict-aliasing (docs/decisions/0012-aliasing.md).
# Sources are globbed, so a new file needs no edit here. A layer may include only the layers that it USES; unit-tests/house
# checks the includes.
function(echelon_layer name)
  cmake_parse_arguments(ARG "ALIASES" "" "USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/cli/main.cpp$")
  add_library(echelon_${name} STATIC ${sources})
  add_library(echelon::${name} ALIAS echelon_${name})
  target_include_directories(echelon_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ARG_USES PREPEND echelon::)
  target_link_libraries(echelon_${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LINKS} echelon_warnings Threads::Threads)
  if(ARG_ALIASES)
    target_compile_options(echelon_${name} PRIVATE -fno-strict-aliasing)
  endif()
endfunction()

# echelon_tests(NAME): makes one program and one ctest entry of unit-tests/NAME/*.cpp.
function(echelon_tests name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/unit-tests/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test-${name} ${PROJECT_SOURCE_DIR}/unit-tests/main.cpp ${sources})
  target_include_directories(test-${name} PRIVATE ${PROJECT_SOURCE_DIR})
  # Only sources that read files of the checkout get its path, so that all checkouts share the compiler's cache.
  foreach(source ${sources})
    file(STRINGS ${source} reads_checkout REGEX ECHELON_SOURCE_DIR LIMIT_COUNT 1)
    if(reads_checkout)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS ECHELON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endif()
  endforeach()
  target_link_libraries(test-${name} PRIVATE doctest::doctest rapidcheck nlohmann_json::nlohmann_json simdjson::simdjson
    yaml-cpp PkgConfig::httplib OpenSSL::SSL fmt::fmt prometheus-cpp::core Threads::Threads echelon_warnings)
  if(name STREQUAL app)  # With the defines of the library; otherwise the tests have a separate log.
    target_link_libraries(test-${name} PRIVATE spdlog::spdlog)
  endif()
  if(NOT name STREQUAL house)
    target_link_libraries(test-${name} PRIVATE echelon::${name})
  endif()
  if(NOT name STREQUAL solver)  # Only its oracles compute much; for other tests -O2 would lengthen the build by a third.
    target_compile_options(test-${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
  add_test(NAME ${name} COMMAND test-${name})
endfunction()

# The simulator: its tests, and a program that repeats one seed. It needs a separate main.
function(echelon_simulator)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/unit-tests/simulator/*.cpp)
  add_executable(test-simulator ${sources})
  target_include_directories(test-simulator PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test-simulator PRIVATE echelon::replay doctest::doctest fmt::fmt echelon_warnings)
  add_test(NAME simulator COMMAND test-simulator)
endfunction()

# Tests that one tenant doesn't affect another. Each row of their table runs in a separate process.
function(echelon_tenants)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/unit-tests/tenants/*.cpp)
  add_executable(test-tenants ${PROJECT_SOURCE_DIR}/unit-tests/main.cpp ${sources})
  target_include_directories(test-tenants PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test-tenants PRIVATE echelon::big_objects echelon::kube echelon::engine doctest::doctest fmt::fmt
    echelon_warnings)
  add_test(NAME tenants COMMAND test-tenants)
endfunction()
