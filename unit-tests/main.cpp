// The main of every test program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#ifdef __SANITIZE_THREAD__
// The library isn't instrumented, so the sanitizer doesn't see how it synchronises the first use of constants. Only
// calls made by the library itself are suppressed, not code below its callbacks.
extern "C" const char* __tsan_default_suppressions() {
    return "called_from_lib:libcpp-httplib.so\n";
}
#endif
