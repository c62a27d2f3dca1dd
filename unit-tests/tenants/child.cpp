#include "unit-tests/tenants/child.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <exception>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace echelon::tenants {
namespace {

void bound(int what, std::size_t most) {
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    static_cast<void>(setrlimit(what, &limit));
}

void apply(const Bounds& bounds) {
    bound(RLIMIT_CORE, 0);
    bound(RLIMIT_CPU, bounds.cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    bound(RLIMIT_AS, bounds.memory_bytes);
#endif
}

void write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const ssize_t done = ::write(to, text.data(), text.size());
        if (done <= 0)
            return;
        text.remove_prefix(static_cast<std::size_t>(done));
    }
}

std::string read_all(int from) {
    std::string out;
    std::array<char, 65'536> piece{};
    for (ssize_t got = 0; (got = ::read(from, piece.data(), piece.size())) > 0;)
        out.append(piece.data(), static_cast<std::size_t>(got));
    return out;
}

std::string trouble_of(int status) {
    if (WIFSIGNALED(status))
        return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with status {}", WEXITSTATUS(status));
}

[[noreturn]] void work_apart(const Bounds& bounds, const std::function<std::string()>& work, int to) {
    for (const int sign : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
        static_cast<void>(std::signal(sign, SIG_DFL));  // The test program's own handlers are about its own tests.
    apply(bounds);
    try {
        write_all(to, work());
        ::_exit(0);
    } catch (const std::exception& fault) {
        write_all(to, fault.what());
    }
    ::_exit(1);
}

}  // namespace

Ending run_apart(const Bounds& bounds, const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        return {"", "no pipe"};
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        work_apart(bounds, work, ends[1]);
    }
    ::close(ends[1]);
    Ending ending{read_all(ends[0]), ""};
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ending.trouble = trouble_of(status);
    if (!ending.trouble.empty())
        ending.trouble += ending.answer.empty() ? "" : ": " + ending.answer;
    return ending;
}

}  // namespace echelon::tenants
