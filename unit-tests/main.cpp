// The one main of every test program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#ifdef __SANITIZE_THREAD__
// The library isn't instrumented: how it keeps the first use of its constants apart isn't seen. Only what it calls
// itself is left out, not what runs below its callbacks.
extern "C" const char* __tsan_default_suppressions() {
    return "called_from_lib:libcpp-httplib.so\n";
}
#endif
