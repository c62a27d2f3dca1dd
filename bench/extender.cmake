# bench-extender: the HTTP edge over loopback against a bare echo of the same bytes, in one run.
add_executable(bench-extender extender_bench.cpp)
target_link_libraries(bench-extender PRIVATE echelon::server fmt::fmt Threads::Threads echelon_warnings)
