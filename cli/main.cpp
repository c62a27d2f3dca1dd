// The program `echelon`: hands its arguments to the commands.

#include "app/complaint.hpp"
#include "app/serve.hpp"
#include "app/version.hpp"
#include "cli/completion.hpp"
#include "cli/explain.hpp"
#include "cli/plan.hpp"
#include "cli/ready.hpp"
#include "cli/replay.hpp"
#include "cli/simulate.hpp"
#include "cli/status_command.hpp"
#include "cli/terminal.hpp"
#include "cli/topology.hpp"
#include "cli/translate.hpp"
#include "cli/validate.hpp"
#include "config/settings.hpp"
#include "server/extender/metric_table.hpp"
#include "translate/topology_export.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr int bad_arguments = 2;

struct Arguments {
    echelon::app::ServeArguments serve;
    echelon::cli::PlanArguments plan;
    echelon::cli::ExplainArguments explain;
    echelon::cli::ReadyArguments ready;
    echelon::cli::TopologyArguments topology;
    echelon::cli::TranslateArguments translate;
    echelon::cli::StatusArguments status;
    echelon::cli::SimulateArguments simulate;
    std::string simulate_output = "text";
    std::string output = "tree";
    std::string status_output = "table";
    std::string logging_format = "text";
    std::string validate_file;
    std::string shell;
    std::string recording_file;
};

void add_serve(CLI::App& app, Arguments& arguments) {
    auto* serve = app.add_subcommand("serve", "run the scheduler extender");
    serve->add_option("--config", arguments.serve.config_file, "configuration file")->required();
    serve->add_option("--logging-format", arguments.logging_format, "text or json")
        ->check(CLI::IsMember({"text", "json"}));
    serve->add_option("-v", arguments.serve.verbosity, "verbosity of the log")->check(CLI::Range(0, 10));
}

void add_plan(CLI::App& app, Arguments& arguments) {
    auto* plan = app.add_subcommand("plan", "place gangs offline, from manifests");
    plan->add_option("-f,--filename", arguments.plan.files, "manifests: a file, a directory, or - for standard input")
        ->required()
        ->allow_extra_args(false);
    plan->add_option("--config", arguments.plan.config_file, "configuration file, for its profiles and topologies");
    plan->add_flag("--preempt", arguments.plan.preempts,
                   "a gang that finds no room evicts pods of lower priority, as few as possible");
    plan->add_option("-o,--output", arguments.output, "tree or json")->check(CLI::IsMember({"tree", "json"}));
}

void add_simulate(CLI::App& app, Arguments& arguments) {
    auto* simulate = app.add_subcommand("simulate", "run a trace of jobs in virtual time and report the results");
    simulate
        ->add_option("-f,--filename", arguments.simulate.files,
                     "manifests of the cluster: a file, a directory, or - for standard input")
        ->required()
        ->allow_extra_args(false);
    simulate->add_option("--trace", arguments.simulate.trace_file, "jobs: CSV with a header, docs/simulate.md")
        ->required();
    simulate->add_option("--config", arguments.simulate.config_file,
                         "configuration file, for its profiles, topologies and scoring");
    simulate->add_option("--until", arguments.simulate.until, "second of the trace to stop at; absent: run to the end");
    simulate->add_option("--placements", arguments.simulate.placements_file,
                         "file to write, a line for each start and end of a pod");
    simulate->add_option("-o,--output", arguments.simulate_output, "text or json")
        ->check(CLI::IsMember({"text", "json"}));
}

CLI::Option* add_server(CLI::App* command, std::string& server, const char* what) {
    const auto without_end = [](std::string address) {
        if (address.size() > 1 && address.ends_with('/') && !address.ends_with("//"))
            address.pop_back();
        return address;
    };
    return command->add_option("--server", server, what)->capture_default_str()->transform(without_end);
}

void add_explain(CLI::App& app, Arguments& arguments) {
    auto* explain = app.add_subcommand("explain", "ask the running service why a gang is where it is");
    explain->add_option("gang", arguments.explain.gang, "NAMESPACE/NAME, or NAME in the namespace default")->required();
    add_server(explain, arguments.explain.server, "admin address of the service, on this machine");
}

void add_ready(CLI::App& app, Arguments& arguments) {
    auto* ready = app.add_subcommand("ready", "check whether the running service is ready");
    add_server(ready, arguments.ready.server, "admin address of the service");
    ready->add_option("--wait", arguments.ready.wait_seconds, "keep checking for this many seconds")
        ->check(CLI::Range(0, 3600));
}

// The source of an answer: the service on this machine, or the API server.
void add_source(CLI::App* command, Arguments& arguments) {
    auto* server = add_server(command, arguments.status.server, "admin address of the service");
    command
        ->add_option("--kubeconfig", arguments.status.kubeconfig, "read the API server instead of asking the service")
        ->excludes(server);
    command->add_flag("-w,--watch", arguments.status.is_watched, "refresh every two seconds");
}

void add_status_command(CLI::App& app, Arguments& arguments, const char* name, const char* what) {
    auto* command = app.add_subcommand(name, what);
    add_source(command, arguments);
    command->add_option("-o,--output", arguments.status_output, "table or json")
        ->check(CLI::IsMember({"table", "json"}));
}

void add_topology(CLI::App& app, Arguments& arguments) {
    auto* topology = app.add_subcommand("topology", "show the trees that nodes form, and what is wrong with them");
    auto* files = topology
                      ->add_option("-f,--filename", arguments.topology.files,
                                   "manifests: a file, a directory, or - for standard input; absent: as it is now")
                      ->allow_extra_args(false);
    topology->add_option("--config", arguments.topology.config_file, "configuration file, for its topologies");
    add_source(topology, arguments);
    for (const auto* live : {"--server", "--kubeconfig", "--watch"})
        topology->get_option(live)->excludes(files);
    topology->add_option("-o,--output", arguments.output, "tree or json")->check(CLI::IsMember({"tree", "json"}));
    auto* target =
        topology->add_option("--export", arguments.topology.export_to, "print a tree as such objects instead");
    target->check(CLI::IsMember(echelon::translate::topology_target_names()))->needs(files);
    topology->add_option("--tree", arguments.topology.tree, "which one is exported")->needs(target);
}

void add_validate(CLI::App& app, Arguments& arguments) {
    auto* validate = app.add_subcommand("validate", "check a configuration file");
    validate->add_option("-f,--filename", arguments.validate_file, "configuration file")->required();
}

void add_translate(CLI::App& app, Arguments& arguments) {
    auto* translate = app.add_subcommand("translate", "write the gangs of manifests in another dialect");
    translate->add_option("--to", arguments.translate.to, "dialect to write")
        ->required()
        ->check(CLI::IsMember(echelon::cli::target_names()));
    translate
        ->add_option("-f,--filename", arguments.translate.files,
                     "manifests: a file, a directory, or - for standard input")
        ->required()
        ->allow_extra_args(false);
    translate->add_option("--config", arguments.translate.config_file, "configuration file, for its translation");
    translate->add_option("--scheduler-name", arguments.translate.scheduler_name,
                          "schedulerName of the pods; absent: as the target calls itself");
}

void add_replay(CLI::App& app, Arguments& arguments) {
    auto* replay = app.add_subcommand("replay", "replay a recording and compare the decisions");
    replay->add_option("file", arguments.recording_file, "recording, as the service wrote it")->required();
}

void add_completion(CLI::App& app, Arguments& arguments) {
    auto* completion =
        app.add_subcommand("completion", "print the script by which a shell completes echelon's commands");
    completion->add_option("shell", arguments.shell, "shell")
        ->required()
        ->check(CLI::IsMember(echelon::cli::completion_shells()));
}

// What a command that only prints prints.
std::string text_of(const CLI::App& app, const Arguments& arguments) {
    if (app.got_subcommand("completion"))
        return echelon::cli::completion_script(app, arguments.shell);
    if (app.got_subcommand("print-defaults"))
        return std::string(echelon::config::default_file());
    if (app.got_subcommand("print-metrics"))
        return echelon::server::metrics_document();
    return echelon::app::version_line() + "\n";
}

int print(const std::string& text) {
    if (echelon::cli::write_out(text))
        return 0;
    echelon::app::complain("echelon: the text can't be written to standard output");
    return 1;
}

// A file or socket that is opened later must not take the number of a standard stream that was closed.
void fill_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) == -1)
            static_cast<void>(::open("/dev/null", O_RDWR));
    }
}

int run(const CLI::App& app, Arguments& arguments) {
    if (app.got_subcommand("plan")) {
        using echelon::cli::ReportFormat;
        arguments.plan.format = arguments.output == "json" ? ReportFormat::json : ReportFormat::tree;
        return echelon::cli::plan(arguments.plan);
    }
    if (app.got_subcommand("simulate")) {
        arguments.simulate.is_json = arguments.simulate_output == "json";
        return echelon::cli::simulate(arguments.simulate);
    }
    if (app.got_subcommand("explain"))
        return echelon::cli::explain(arguments.explain);
    if (app.got_subcommand("ready"))
        return echelon::cli::ready(arguments.ready);
    for (const auto& [name, at] :
         {std::pair{"status", echelon::cli::StatusView::status}, std::pair{"holds", echelon::cli::StatusView::holds}}) {
        if (!app.got_subcommand(name))
            continue;
        arguments.status.at = at;
        arguments.status.is_json = arguments.status_output == "json";
        return echelon::cli::show_status(arguments.status);
    }
    if (app.got_subcommand("topology") && arguments.topology.files.empty()) {
        arguments.status.at = echelon::cli::StatusView::topology;
        arguments.status.is_json = arguments.output == "json";
        arguments.status.config_file = arguments.topology.config_file;
        return echelon::cli::show_status(arguments.status);
    }
    if (app.got_subcommand("topology")) {
        using echelon::cli::TopologyFormat;
        arguments.topology.format = arguments.output == "json" ? TopologyFormat::json : TopologyFormat::tree;
        return echelon::cli::topology(arguments.topology);
    }
    if (app.got_subcommand("translate"))
        return echelon::cli::translate(arguments.translate);
    if (app.got_subcommand("validate"))
        return echelon::cli::validate(arguments.validate_file);
    if (app.got_subcommand("replay"))
        return echelon::cli::replay_file(arguments.recording_file);
    if (app.got_subcommand("serve")) {
        arguments.serve.json_logs = arguments.logging_format == "json";
        return echelon::app::serve(arguments.serve);
    }
    return print(text_of(app, arguments));
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    // `kubectl echelon ...` runs a program of that name, and users of kubectl have a kubeconfig.
    const bool is_plugin = argc > 0 && std::filesystem::path(argv[0]).filename() == "kubectl-echelon";
    CLI::App app("echelon places gangs of pods whole, over several levels of topology",
                 is_plugin ? "kubectl echelon" : "echelon");
    app.require_subcommand(1);
    app.set_version_flag("--version", echelon::app::version_line, "Print version and commit and exit");
    Arguments arguments;
    add_serve(app, arguments);
    add_plan(app, arguments);
    add_simulate(app, arguments);
    add_explain(app, arguments);
    add_ready(app, arguments);
    add_status_command(app, arguments, "status", "show the phase of every gang");
    add_status_command(app, arguments, "holds", "show every seat that is promised");
    add_topology(app, arguments);
    add_translate(app, arguments);
    add_validate(app, arguments);
    add_replay(app, arguments);
    add_completion(app, arguments);
    app.add_subcommand("print-defaults", "print a configuration file with every default");
    app.add_subcommand("version", "print version and commit");
    app.add_subcommand("print-metrics", "print docs/metrics.md")
        ->group("");  // For developers of echelon: not in the help.
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0)
            return app.exit(problem);  // Help or the version was asked for.
        const auto unknown = app.remaining(true);
        if (unknown.empty()) {
            echelon::app::complain("echelon: {}", problem.what());
        } else {
            echelon::app::complain("echelon: \"{}\" isn't understood here", unknown.front());
        }
        return bad_arguments;
    }
    const auto names_server = [](const CLI::App* command) {
        const auto* option = command->get_option_no_throw("--server");
        return option != nullptr && option->count() > 0;
    };
    const auto* command = app.get_subcommands().front();
    const bool reads_cluster =
        command->get_option_no_throw("--kubeconfig") != nullptr && arguments.topology.files.empty();
    if (is_plugin && reads_cluster && arguments.status.kubeconfig.empty() && !names_server(command)) {
        auto usual = echelon::cli::usual_kubeconfig();
        if (!usual) {
            echelon::app::complain("echelon: {}", usual.error().sentence);
            return bad_arguments;
        }
        arguments.status.kubeconfig = std::move(*usual);
    }
    return run(app, arguments);
}
