#include "cli/completion.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echelon::cli {
namespace {

struct Option {
    std::vector<std::string> names;  // With their dashes: "-o", "--output".
    std::string description;
    bool takes_value = false;
    std::vector<std::string> values;  // Empty: a file, or free text.
};

struct Command {
    std::string name;
    std::string description;
    std::vector<Option> options;
    std::vector<std::string> values;  // Values of a positional argument; empty: files.
};

// CLI11 shows a set of values as "TEXT:{a,b}", and nowhere else.
std::vector<std::string> values_of(const CLI::Option& option) {
    const std::string shown = option.get_type_name();
    const auto begin = shown.find('{');
    const auto end = shown.rfind('}');
    if (begin == std::string::npos || end == std::string::npos)
        return {};
    return CLI::detail::split(shown.substr(begin + 1, end - begin - 1), ',');
}

Option option_of(const CLI::Option& option) {
    Option out{.names = {},
               .description = option.get_description(),
               .takes_value = option.get_items_expected_max() > 0,
               .values = values_of(option)};
    for (const auto& name : option.get_snames())
        out.names.push_back("-" + name);
    for (const auto& name : option.get_lnames())
        out.names.push_back("--" + name);
    return out;
}

std::vector<Command> commands_of(const CLI::App& app) {
    std::vector<Command> out;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
        Command& added = out.emplace_back(Command{command->get_name(), command->get_description(), {}, {}});
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_positional())
                added.values = values_of(*option);
            else
                added.options.push_back(option_of(*option));
        }
    }
    return out;
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
    std::vector<std::string> out;
    for (const auto& command : commands)
        out.push_back(command.name);
    return out;
}

// Text between single quotes, for a POSIX shell.
std::string single_quoted(std::string_view text) {
    std::string out = "'";
    for (const char letter : text)
        out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return out + "'";
}

std::string bash_cases(const Command& command) {
    std::vector<std::string> words = command.values;
    std::string out;
    for (const auto& option : command.options) {
        words.insert(words.end(), option.names.begin(), option.names.end());
        if (!option.takes_value)
            continue;
        for (const auto& name : option.names)
            out += fmt::format("            {}:{}) words='{}' ;;\n", command.name, name, fmt::join(option.values, " "));
    }
    return out + fmt::format("            {}:*) words='{}' ;;\n", command.name, fmt::join(words, " "));
}

// If no word fits, bash completes names of files (`-o default`).
std::string for_bash(const std::vector<Command>& commands) {
    std::string cases;
    for (const auto& command : commands)
        cases += bash_cases(command);
    return fmt::format(R"(# Completion of echelon for bash. Load it with: source <(echelon completion bash)
_echelon() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=''
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='{}'
    else
        case ${{COMP_WORDS[1]}}:$previous in
{}        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _echelon echelon
)",
                       fmt::join(names_of(commands), " "), cases);
}

// Text inside an argument of zsh's `_arguments` or `_describe`.
std::string zsh_text(std::string_view text) {
    std::string out;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\')
            out += '\\';
        out += letter;
    }
    return out;
}

std::string zsh_option(const Option& option) {
    const bool is_one = option.names.size() == 1;
    const std::string names = is_one ? option.names.front() : fmt::format("{{{}}}", fmt::join(option.names, ","));
    const std::string value = !option.takes_value     ? ""
                              : option.values.empty() ? ":value:_files"
                                                      : fmt::format(":value:({})", fmt::join(option.values, " "));
    return fmt::format("'*'{}{}", names, single_quoted(fmt::format("[{}]{}", zsh_text(option.description), value)));
}

std::string for_zsh(const std::vector<Command>& commands) {
    std::string described;
    std::string cases;
    for (const auto& command : commands) {
        described += fmt::format("        {}\n",
                                 single_quoted(fmt::format("{}:{}", command.name, zsh_text(command.description))));
        cases += fmt::format("        {}) _arguments", command.name);
        for (const auto& option : command.options)
            cases += fmt::format(" \\\n            {}", zsh_option(option));
        cases += command.values.empty()
                     ? " \\\n            '*:file:_files' ;;\n"
                     : fmt::format(" \\\n            '1:value:({})' ;;\n", fmt::join(command.values, " "));
    }
    return fmt::format(R"(#compdef echelon
# Completion of echelon for zsh. Load it with: source <(echelon completion zsh)
_echelon() {{
    local -a commands
    commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{}    esac
}}
if [ "$funcstack[1]" = _echelon ]; then
    _echelon
else
    compdef _echelon echelon
fi
)",
                       described, cases);
}

std::string fish_option(const Command& command, const Option& option) {
    std::string out = fmt::format("complete -c echelon -n '__fish_seen_subcommand_from {}'", command.name);
    for (const auto& name : option.names)
        out += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
    if (option.takes_value)
        out += option.values.empty()
                   ? " -r"
                   : fmt::format(" -x -a {}", single_quoted(fmt::format("{}", fmt::join(option.values, " "))));
    return out + fmt::format(" -d {}\n", single_quoted(option.description));
}

std::string for_fish(const std::vector<Command>& commands) {
    std::string out = "# Completion of echelon for fish. Load it with: echelon completion fish | source\n";
    for (const auto& command : commands) {
        out += fmt::format("complete -c echelon -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                           single_quoted(command.description));
        for (const auto& option : command.options)
            out += fish_option(command, option);
        if (!command.values.empty())
            out += fmt::format("complete -c echelon -f -n '__fish_seen_subcommand_from {}' -a '{}'\n", command.name,
                               fmt::join(command.values, " "));
    }
    return out;
}

}  // namespace

std::vector<std::string> completion_shells() {
    return {"bash", "fish", "zsh"};
}

std::string completion_script(const CLI::App& app, std::string_view shell) {
    const auto commands = commands_of(app);
    if (shell == "bash")
        return for_bash(commands);
    return shell == "zsh" ? for_zsh(commands) : for_fish(commands);
}

}  // namespace echelon::cli
