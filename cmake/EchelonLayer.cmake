# echelon_layer(NAME USES layers... LINKS packages... [ALIASES]): one folder, one static library, one alias echelon::NAME.
# ALIASES: it moves Results of vectors and texts (docs/decisions/0012-aliasing.md).
# Sources are globbed, so a new file needs no edit here. A layer sees only the layers that it USES; unit-tests/house walks the
# includes and fails on any other arrow.
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

# echelon_tests(NAME): unit-tests/NAME/*.cpp as one program, one ctest entry.
function(echelon_tests name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/unit-tests/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test-${name} ${PROJECT_SOURCE_DIR}/unit-tests/main.cpp ${sources})
  target_include_directories(test-${name} PRIVATE ${PROJECT_SOURCE_DIR})
  # Only the sources that read the checkout know where it is, so that the compiler's cache serves every checkout.
  foreach(source ${sources})
    file(STRINGS ${source} reads_checkout REGEX ECHELON_SOURCE_DIR LIMIT_COUNT 1)
    if(reads_checkout)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS ECHELON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endif()
  endforeach()
  target_link_libraries(test-${name} PRIVATE doctest::doctest rapidcheck nlohmann_json::nlohmann_json simdjson::simdjson
    yaml-cpp PkgConfig::httplib OpenSSL::SSL fmt::fmt prometheus-cpp::core Threads::Threads echelon_warnings)
  if(name STREQUAL app)  # With the very defines of the library: else the tests have a log of their own.
    target_link_libraries(test-${name} PRIVATE spdlog::spdlog)
  endif()
  if(NOT name STREQUAL house)
    target_link_libraries(test-${name} PRIVATE echelon::${name})
  endif()
  if(NOT name STREQUAL solver)  # Its oracles compute; of the others -O2 would only make the build a third longer.
    target_compile_options(test-${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
  add_test(NAME ${name} COMMAND test-${name})
endfunction()

# The simulator: its tests, and a program that lives one seed again, so it has a main of its own.
function(echelon_simulator)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/unit-tests/simulator/*.cpp)
  add_executable(test-simulator ${sources})
  target_include_directories(test-simulator PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test-simulator PRIVATE echelon::replay doctest::doctest fmt::fmt echelon_warnings)
  add_test(NAME simulator COMMAND test-simulator)
endfunction()

# What one tenant brings, beside what another one has: each row of its table runs in a process of its own.
function(echelon_tenants)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/unit-tests/tenants/*.cpp)
  add_executable(test-tenants ${PROJECT_SOURCE_DIR}/unit-tests/main.cpp ${sources})
  target_include_directories(test-tenants PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test-tenants PRIVATE echelon::big_objects echelon::kube echelon::engine doctest::doctest fmt::fmt
    echelon_warnings)
  add_test(NAME tenants COMMAND test-tenants)
endfunction()
