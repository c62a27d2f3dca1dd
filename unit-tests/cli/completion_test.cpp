// Do the scripts that shells read offer the commands, options and values that are declared?

#include "cli/completion.hpp"

#include "unit-tests/cli/files.hpp"

#include <array>
#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

namespace echelon::cli {
namespace {

struct Program {
    std::string text;
    bool flag = false;
    CLI::App app{"a program", "echelon"};

    Program() {
        auto* plan = app.add_subcommand("plan", "place gangs: offline, it's quick");
        plan->add_option("-f,--filename", text, "manifests");
        plan->add_option("-o,--output", text, "tree or json")->check(CLI::IsMember({"tree", "json"}));
        plan->add_flag("--preempt", flag, "evict");
        app.add_subcommand("status", "show gangs");
        auto* completion = app.add_subcommand("completion", "print a script");
        completion->add_option("shell", text, "shell")->check(CLI::IsMember(completion_shells()));
        app.add_subcommand("hidden", "not for people")->group("");
    }
};

// What bash offers after these words; the last one is being typed.
std::string offered_by_bash(const std::string& words, int last) {
    const Program program;
    const testing::Folder folder;
    const auto script = folder.write("script", completion_script(program.app, "bash"));
    const std::string command =
        fmt::format("bash -c 'source {}; COMP_WORDS=({}); COMP_CWORD={}; _echelon; echo \"${{COMPREPLY[*]}}\"'", script,
                    words, last);
    std::FILE* answer = popen(command.c_str(), "r");
    REQUIRE(answer != nullptr);
    std::array<char, 512> line{};
    const char* got = std::fgets(line.data(), line.size(), answer);
    CHECK(pclose(answer) == 0);
    std::string out = got == nullptr ? "" : got;
    if (out.ends_with('\n'))
        out.pop_back();
    return out;
}

TEST_CASE("bash completes commands, then their options, then the values of an option") {
    CHECK(offered_by_bash("echelon \"\"", 1) == "plan status completion");
    CHECK(offered_by_bash("echelon st", 1) == "status");
    CHECK(offered_by_bash("echelon plan --p", 2) == "--preempt");
    CHECK(offered_by_bash("echelon plan -o \"\"", 3) == "tree json");
    CHECK(offered_by_bash("echelon completion f", 2) == "fish");
}

TEST_CASE("where a file belongs bash is left to offer files") {
    CHECK(offered_by_bash("echelon plan -f \"\"", 3) == "");
    CHECK(completion_script(Program().app, "bash").find("complete -o default") != std::string::npos);
}

TEST_CASE("a description cannot end the quotes around it") {
    const Program program;
    CHECK(completion_script(program.app, "zsh").find(R"('plan:place gangs\: offline, it'\''s quick')") !=
          std::string::npos);
    CHECK(completion_script(program.app, "fish").find(R"(-a plan -d 'place gangs: offline, it'\''s quick')") !=
          std::string::npos);
}

TEST_CASE("no shell is offered a command that the help hides") {
    for (const auto& shell : completion_shells()) {
        CAPTURE(shell);
        CHECK(completion_script(Program().app, shell).find("hidden") == std::string::npos);
    }
}

TEST_CASE("zsh and fish have the values of an option") {
    const Program program;
    CHECK(completion_script(program.app, "zsh").find("'*'{-o,--output}'[tree or json]:value:(tree json)'") !=
          std::string::npos);
    CHECK(completion_script(program.app, "fish").find("-s o -l output -x -a 'tree json'") != std::string::npos);
}

}  // namespace
}  // namespace echelon::cli
