#include "server/extender/extender_args.hpp"

#include "base/json_strings.hpp"
#include "server/extender/name_list.hpp"
#include "server/http/json_syntax.hpp"
#include "server/http/json_text.hpp"
#include "server/http/request.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

namespace echelon::server {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(simdjson::SIMDJSON_PADDING <= body_padding);

constexpr std::size_t longest_name = 253;
// A parser keeps memory for its largest body; above this size a new one replaces it.
constexpr std::size_t kept_capacity = 1024 * 1024;

using Problem = std::optional<base::Error>;

Problem problem(std::string_view field, std::string_view what) {
    return base::Error{fmt::format("{} {}", field, what)};
}

Problem malformed(simdjson::error_code error) {
    return base::Error{fmt::format("the body isn't valid JSON ({})", simdjson::error_message(error))};
}

// The syntax of skipped values, in which the parser only counts brackets.
Problem objection_to(Syntax syntax, std::string_view name) {
    if (syntax == Syntax::too_deep)
        return problem(name, fmt::format("is nested deeper than {} levels", deepest_json));
    if (syntax == Syntax::broken)
        return base::Error{fmt::format("the body isn't valid JSON ({} can't be read)", name)};
    return std::nullopt;
}

// The same for a text that is one value.
Problem objection_to(std::string_view text, std::string_view name) {
    auto [syntax, length] = judge_value(text);
    if (syntax == Syntax::sound && text.find_first_not_of(" \t\r\n", length) != std::string_view::npos)
        syntax = Syntax::broken;
    return objection_to(syntax, name);
}

bool is_named(std::string_view key, std::string_view name) {
    auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    return std::ranges::equal(key, name, {}, lower, lower);
}

bool is_null(ondemand::value& value) {
    ondemand::json_type type{};
    bool null = false;
    return value.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::null &&
           value.is_null().get(null) == simdjson::SUCCESS && null;
}

// Calls `take(key, value)` for each field until it returns a problem. Null objects have no fields.
template <typename Take>
Problem for_each_field(ondemand::value value, std::string_view name, Take take) {
    if (is_null(value))
        return std::nullopt;
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return problem(name, "must be an object");
    for (auto field : object) {
        std::string_view key;
        ondemand::value inner;
        if (auto error = field.unescaped_key().get(key))
            return malformed(error);
        if (auto error = field.value().get(inner))
            return malformed(error);
        if (auto found = take(key, inner))
            return found;
    }
    return std::nullopt;
}

template <typename Take>
Problem for_each_element(ondemand::value value, std::string_view name, Take take) {
    if (is_null(value))
        return std::nullopt;
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS)
        return problem(name, "must be an array");
    for (auto element : array) {
        ondemand::value inner;
        if (auto error = element.get(inner))
            return malformed(error);
        if (auto found = take(inner))
            return found;
    }
    return std::nullopt;
}

Problem skip(std::string_view key, ondemand::value value) {
    std::string_view json;
    if (auto error = simdjson::to_json_string(value).get(json))
        return malformed(error);
    return objection_to(json, printable(key));
}

// Null leaves `into` empty.
template <typename Into>
Problem read_string(ondemand::value value, std::string_view name, Into& into) {
    into.clear();
    if (is_null(value))
        return std::nullopt;
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS)
        return problem(name, "must be a string");
    into = text;
    return std::nullopt;
}

// The document of a body, in this thread's parser.
class Body {
public:
    // Calls `take(key, value)` for each field of the root object.
    template <typename Take>
    Problem for_each_field(std::string_view text, Take take) {
        if (auto error = open(text))
            return malformed(error);
        for (auto field : root_) {
            std::string_view key;
            ondemand::value value;
            if (auto bad = field.unescaped_key().get(key))
                return malformed(bad);
            if (auto bad = field.value().get(value))
                return malformed(bad);
            if (auto found = take(key, value))
                return found;
        }
        return location() == nullptr ? std::nullopt : malformed(simdjson::TRAILING_CONTENT);
    }

    // The position of the parser: the end of the value just read. Nullptr after the last token.
    const char* location() {
        const char* here = nullptr;
        return document_.current_location().get(here) == simdjson::SUCCESS ? here : nullptr;
    }

private:
    static ondemand::parser& parser() {
        thread_local ondemand::parser kept;
        if (kept.capacity() > kept_capacity)
            kept = ondemand::parser{};
        return kept;
    }

    simdjson::error_code open(std::string_view text) {
        simdjson::padded_string_view padded(text.data(), text.size(), text.size() + body_padding);
        if (auto error = parser().iterate(padded).get(document_))
            return error;
        return document_.get_object().get(root_);
    }

    ondemand::document document_;
    ondemand::object root_;
};

Problem read_metadata(ondemand::value value, PodFacts& pod) {
    return for_each_field(value, "Pod.metadata", [&pod](std::string_view key, ondemand::value inner) -> Problem {
        if (key == "uid")
            return read_string(inner, "Pod.metadata.uid", pod.uid);
        if (key == "name")
            return read_string(inner, "Pod.metadata.name", pod.name);
        if (key == "namespace")
            return read_string(inner, "Pod.metadata.namespace", pod.ns);
        return std::nullopt;
    });
}

Problem read_pod(ondemand::value value, PodFacts& pod) {
    pod = {};
    if (is_null(value))
        return std::nullopt;
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS)
        return problem("Pod", "must be an object");
    if (auto error = object.raw_json().get(pod.json))
        return malformed(error);
    if (auto found = objection_to(judge_value(pod.json).syntax, "Pod"))
        return found;
    if (auto error = object.reset().error())
        return malformed(error);
    for (auto field : object) {
        std::string_view key;
        ondemand::value inner;
        if (auto error = field.unescaped_key().get(key))
            return malformed(error);
        if (auto error = field.value().get(inner))
            return malformed(error);
        Problem found;
        if (key == "metadata")
            found = read_metadata(inner, pod);
        if (key == "spec") {
            found = for_each_field(inner, "Pod.spec", [&pod](std::string_view name, ondemand::value spec) -> Problem {
                if (name != "schedulerName")
                    return std::nullopt;
                return read_string(spec, "Pod.spec.schedulerName", pod.scheduler_name);
            });
        }
        if (found)
            return found;
    }
    return std::nullopt;
}

// The text of an array whose last token was just read. `behind`: the next token.
std::string_view array_text(const char* begin, const char* behind) {
    while (behind > begin && *(behind - 1) != ']')
        --behind;
    return {begin, static_cast<std::size_t>(behind - begin)};
}

// Escapes are legal but never needed in a node name; without them, names compare as bytes.
Problem rewrite_names(FilterArgs& args) {
    simdjson::padded_string copy(args.names_json);
    ondemand::parser parser;
    ondemand::document document;
    ondemand::array array;
    if (auto error = parser.iterate(copy).get(document))
        return malformed(error);
    if (auto error = document.get_array().get(array))
        return malformed(error);
    std::string text = "[";
    std::size_t first_bytes = 0;
    for (auto element : array) {
        std::string_view name;
        if (auto error = element.get_string().get(name))
            return malformed(error);
        if (text.size() > 1)
            text += ',';
        base::append_json_string(text, name);
        if (first_bytes == 0)
            first_bytes = text.size() - 1;
    }
    text += ']';
    const auto length = text.size();
    text.append(name_list_padding, ' ');
    args.rewritten = std::make_unique<const std::string>(std::move(text));
    args.names_json = std::string_view(*args.rewritten).substr(0, length);
    args.first = args.names_json.substr(1, first_bytes);
    return std::nullopt;
}

Problem read_names(Body& body, ondemand::value value, std::string_view text, FilterArgs& args) {
    args.names_json = "[]";
    args.is_planned_node_offered = false;
    args.count = 0;
    args.first = {};
    if (is_null(value))
        return std::nullopt;
    const char* begin = value.raw_json_token().data();
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS)
        return problem("NodeNames", "must be an array");
    const char* first = nullptr;
    const char* end = text.data() + text.size();
    auto is_sought = [&planned_node = args.planned_node, end](const char* name) {
        std::string_view rest(name, static_cast<std::size_t>(end - name));
        return rest.size() > planned_node.size() && rest[planned_node.size()] == '"' && rest.starts_with(planned_node);
    };
    for (auto element : array) {
        ondemand::raw_json_string name;
        if (element.get_raw_json_string().get(name) != simdjson::SUCCESS) {
            return problem("NodeNames", "must hold strings only");
        }
        if (first == nullptr)
            first = name.raw();
        ++args.count;
        args.is_planned_node_offered = args.is_planned_node_offered || is_sought(name.raw());
    }
    const char* behind = body.location();
    if (behind == nullptr || args.count == 0)
        return std::nullopt;
    args.names_json = array_text(begin, behind);
    if (args.names_json.contains('\\'))
        return rewrite_names(args);
    auto rest = args.names_json.substr(static_cast<std::size_t>(first - begin));
    args.first = {first - 1, std::min(rest.find('"'), rest.size() - 1) + 2};
    return std::nullopt;
}

// One victim: a UID (`is_meta`), or a whole pod.
Problem read_victim(ondemand::value pod, bool is_meta, Victims& victims) {
    std::string uid;
    auto found = for_each_field(pod, "Pods[]", [&](std::string_view name, ondemand::value field) -> Problem {
        if (is_meta)
            return is_named(name, "UID") ? read_string(field, "UID", uid) : std::nullopt;
        if (name != "metadata")
            return std::nullopt;
        return for_each_field(field, "metadata", [&](std::string_view at, ondemand::value leaf) -> Problem {
            return at == "uid" ? read_string(leaf, "metadata.uid", uid) : std::nullopt;
        });
    });
    if (!found && uid.empty())
        found = problem("Pods", "holds a victim without UID");
    victims.uids.push_back(std::move(uid));
    return found;
}

Problem read_victims(ondemand::value value, bool is_meta, Victims& victims) {
    return for_each_field(value, "victims", [&](std::string_view key, ondemand::value inner) -> Problem {
        if (is_named(key, "NumPDBViolations")) {
            if (inner.get_int64().get(victims.pdb_violations) == simdjson::SUCCESS)
                return std::nullopt;
            return problem("NumPDBViolations", "must be an integer");
        }
        if (!is_named(key, "Pods"))
            return std::nullopt;
        return for_each_element(inner, "Pods",
                                [&](ondemand::value pod) -> Problem { return read_victim(pod, is_meta, victims); });
    });
}

Problem read_candidates(ondemand::value value, bool is_meta, std::vector<Victims>& candidates) {
    auto name = is_meta ? "NodeNameToMetaVictims" : "NodeNameToVictims";
    return for_each_field(value, name, [&](std::string_view node, ondemand::value inner) -> Problem {
        if (is_null(inner))
            return std::nullopt;  // A node without victims is no candidate.
        Victims victims{.node = std::string(node)};
        if (auto found = read_victims(inner, is_meta, victims))
            return found;
        candidates.push_back(std::move(victims));
        return std::nullopt;
    });
}

Problem check_name(std::string_view field, const std::string& name) {
    if (name.empty())
        return problem(field, "is missing");
    if (name.size() > longest_name)
        return problem(field, fmt::format("is longer than {} bytes", longest_name));
    return std::nullopt;
}

}  // namespace

bool FilterArgs::offers(std::string_view node) const {
    if (!node.empty() && planned_node == node && !rewritten)
        return is_planned_node_offered;
    std::string quoted;
    base::append_json_string(quoted, node);
    return ::memmem(names_json.data(), names_json.size(), quoted.data(), quoted.size()) != nullptr;
}

base::Result<FilterArgs> parse_filter_args(std::string_view text, const Planned& planned) {
    FilterArgs args;
    Body body;
    auto found = body.for_each_field(text, [&](std::string_view key, ondemand::value value) -> Problem {
        if (is_named(key, "Pod"))
            return read_pod(value, args.pod);
        if (is_named(key, "NodeNames")) {
            // kube-scheduler sends the pod first. If it came last, offers() would search the names.
            if (planned && !args.pod.json.empty())
                args.planned_node = planned(args.pod);
            return read_names(body, value, text, args);
        }
        if (!is_named(key, "Nodes"))
            return skip(key, value);
        args.has_node_list = !is_null(value);
        return std::nullopt;
    });
    if (found)
        return std::unexpected(*found);
    if (args.pod.json.empty())
        return base::failure("Pod is missing");
    return args;
}

base::Result<PreemptArgs> parse_preempt_args(std::string_view text) {
    PreemptArgs args;
    std::vector<Victims> meta;
    if (auto found = objection_to(text, "ExtenderPreemptionArgs"))
        return std::unexpected(*found);
    Body body;
    auto found = body.for_each_field(text, [&](std::string_view key, ondemand::value value) -> Problem {
        if (is_named(key, "Pod"))
            return read_pod(value, args.pod);
        if (is_named(key, "NodeNameToMetaVictims"))
            return read_candidates(value, true, meta);
        if (is_named(key, "NodeNameToVictims"))
            return read_candidates(value, false, args.candidates);
        return std::nullopt;
    });
    if (found)
        return std::unexpected(*found);
    if (args.pod.json.empty())
        return base::failure("Pod is missing");
    if (!meta.empty())
        args.candidates = std::move(meta);
    return args;
}

base::Result<BindArgs> parse_bind_args(std::string_view text) {
    BindArgs args;
    if (auto found = objection_to(text, "ExtenderBindingArgs"))
        return std::unexpected(*found);
    Body body;
    auto found = body.for_each_field(text, [&](std::string_view key, ondemand::value value) -> Problem {
        if (is_named(key, "PodName"))
            return read_string(value, "PodName", args.pod.name);
        if (is_named(key, "PodNamespace"))
            return read_string(value, "PodNamespace", args.pod.ns);
        if (is_named(key, "PodUID"))
            return read_string(value, "PodUID", args.pod.uid);
        if (is_named(key, "Node"))
            return read_string(value, "Node", args.node);
        return std::nullopt;
    });
    if (!found)
        found = check_name("PodNamespace", args.pod.ns);
    if (!found)
        found = check_name("PodName", args.pod.name);
    if (!found)
        found = check_name("PodUID", args.pod.uid);
    if (!found)
        found = check_name("Node", args.node);
    if (found)
        return std::unexpected(*found);
    return args;
}

}  // namespace echelon::server
