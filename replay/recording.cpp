#include "replay/recording.hpp"

#include "kube/topology/hypernode.hpp"
#include "replay/recorded_json.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace echelon::replay {

template <>
struct Recorded<RecordingHead> {
    static constexpr std::array<std::string_view, 4> names = {"madeBy", "began", "at", "options"};
    static auto fields(auto& all) {
        auto& [made_by, began, at, options] = all;
        return std::tie(made_by, began, at, options);
    }
};
template <>
struct Recorded<RepeatedObject> {
    static constexpr std::array<std::string_view, 2> names = {"place", "what"};
    static auto fields(auto& all) {
        auto& [place, what] = all;
        return std::tie(place, what);
    }
};
template <>
struct Recorded<RecordedBatch> {
    static constexpr std::array<std::string_view, 4> names = {"at", "inputs", "actions", "again"};
    static auto fields(auto& all) {
        auto& [at, inputs, actions, again] = all;
        return std::tie(at, inputs, actions, again);
    }
};

namespace {

constexpr std::int64_t format_version = 1;
constexpr std::string_view digits = "0123456789abcdef";

template <typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};

std::string named(const model::PodRef& pod) {
    return pod.ns + "/" + pod.name;
}

std::string in_words(const model::Write& what) {
    return std::visit(
        Overloaded{
            [](const model::BindPod& w) { return fmt::format("bind {} to {}", named(w.pod), w.node); },
            [](const model::NominatePod& w) { return fmt::format("nominate {} for {}", named(w.pod), w.node); },
            [](const model::UngatePod& w) { return "ungate " + named(w.pod); },
            [](const model::KickPod& w) { return "wake " + named(w.pod); },
            [](const model::EvictPod& w) { return "evict " + named(w.pod); },
            [](const model::ApplyPlan& w) {
                const auto& r = w.record;
                return fmt::format("record {}/{} {} with {} seats", r.ns, r.name, model::to_string(r.phase),
                                   r.seats.size());
            },
            [](const model::DeletePlan& w) { return fmt::format("forget {}/{}", w.ns, w.name); },
            [](const model::ReadPod& w) { return "read " + named(w.pod); },
            [](const model::ReadGroup& w) { return fmt::format("read {} {}/{}", w.api_kind, w.ns, w.name); },
            [](const model::WritePlacementScore& w) {
                return fmt::format("score {}/{} {}", w.ns, w.name, w.per_mille);
            },
            [](const model::WriteGroupCondition& w) {
                return fmt::format("tell {} {}/{} {}", w.api_kind, w.ns, w.name, w.is_met);
            },
            [](const model::EmitGangEvent& w) { return fmt::format("tell {}/{} {}", w.ns, w.plan, w.reason); },
        },
        what);
}

// FNV-1a: the same on every machine.
std::uint64_t digest(std::string_view text) {
    std::uint64_t sum = 0xcbf29ce484222325U;
    for (const char c : text)
        sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return sum;
}

// The node or pod that an input shows or ends.
struct Subject {
    std::string name;  // Empty: neither a node nor a pod.
    bool is_gone = false;
};

Subject subject_of(const engine::Input& input) {
    const auto* observed = std::get_if<engine::Observed>(&input);
    if (observed == nullptr)
        return {};
    if (const auto* seen = std::get_if<model::NodeSeen>(&observed->event))
        return {"node " + seen->node.name, false};
    if (const auto* seen = std::get_if<model::PodSeen>(&observed->event))
        return {"pod " + seen->pod.uid, false};
    if (const auto* gone = std::get_if<model::NodeGone>(&observed->event))
        return {"node " + gone->name, true};
    if (const auto* gone = std::get_if<model::PodGone>(&observed->event))
        return {"pod " + gone->uid, true};
    return {};
}

// "inputs[3].observed.podSeen.pod.phase: must be ..."
base::Result<RecordingLine> checked(RecordingLine line, const std::string& problem) {
    if (problem.empty())
        return line;
    return base::failure(problem.substr(problem.front() == '.' ? 1 : 0));
}

}  // namespace

bool is_plain_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void write_text(std::string& out, std::string_view text) {
    const bool is_plain = is_plain_text(text);
    out += is_plain ? "\"" : "{\"hex\":\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (!is_plain) {
            out += {digits[byte >> 4U], digits[byte & 15U]};
        } else if (byte < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
        } else {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
    }
    out += is_plain ? "\"" : "\"}";
}

void write(std::string& out, const model::Amounts& value) {
    const std::map<std::string, std::int64_t, std::less<>> amounts(value.entries().begin(), value.entries().end());
    write(out, amounts);
}

std::string read(const Json& json, std::string& value) {
    if (const auto* text = json.get_ptr<const std::string*>()) {
        value = *text;
        return {};
    }
    const auto hex = json.is_object() ? json.find("hex") : json.end();
    const auto* text = hex == json.end() ? nullptr : hex->get_ptr<const std::string*>();
    if (json.is_object() && text != nullptr && text->size() % 2 == 0 &&
        text->find_first_not_of(digits) == std::string::npos) {
        value.clear();
        for (std::size_t at = 0; at < text->size(); at += 2)
            value += static_cast<char>(digits.find((*text)[at]) * 16 + digits.find((*text)[at + 1]));
        return {};
    }
    return ": must be a text";
}

std::string read(const Json& json, base::Text& value) {
    std::string text;
    auto fault = read(json, text);
    value = std::move(text);
    return fault;
}

std::string read(const Json& json, bool& value) {
    if (!json.is_boolean())
        return ": must be true or false";
    value = json.get<bool>();
    return {};
}

std::string read(const Json& json, std::chrono::milliseconds& value) {
    std::int64_t count = 0;
    auto problem = read(json, count);
    value = std::chrono::milliseconds(count);
    return problem;
}

std::string read(const Json& json, model::Amounts& value) {
    std::map<std::string, std::int64_t, std::less<>> amounts;
    auto problem = read(json, amounts);
    value = {};
    for (const auto& [name, amount] : amounts)
        value.set(name, amount);
    return problem;
}

std::string read(const Json& json, model::NamePattern& value) {
    std::string text;
    auto problem = read(json, text);
    value = kube::name_pattern(text);
    return problem;
}

std::string to_line(const RecordingLine& line) {
    std::string out;
    std::visit(Overloaded{
                   [&out](const RecordingHead& head) {
                       out += fmt::format("{{\"recording\":{},\"head\":", format_version);
                       write(out, head);
                       out += '}';
                   },
                   [&out](const RecordedBatch& batch) { write(out, batch); },
                   [&out](const RecordingEnd& end) {
                       out += "{\"end\":";
                       write_text(out, end.why);
                       out += '}';
                   },
               },
               line);
    out += '\n';
    return out;
}

base::Result<RecordingLine> read_line(std::string_view line) {
    const auto json = Json::parse(line, nullptr, false);
    if (!json.is_object())
        return base::failure("isn't a JSON object");
    if (const auto version = json.find("recording"); version != json.end()) {
        if (*version != format_version) {
            return base::failure(
                fmt::format("is of format {}, only {} is understood", version->dump(), format_version));
        }
        RecordingHead head;
        const auto found = json.find("head");
        if (found == json.end())
            return base::failure("head: is missing");
        const auto problem = read(*found, head);
        return checked(std::move(head), problem.empty() ? problem : ".head" + problem);
    }
    if (const auto found = json.find("end"); found != json.end()) {
        RecordingEnd end;
        const auto problem = read(*found, end.why);
        return checked(std::move(end), problem.empty() ? problem : ".end" + problem);
    }
    RecordedBatch batch;
    const auto problem = read(json, batch);
    return checked(std::move(batch), problem);
}

void RecordingCompressor::shorten(RecordedBatch& batch) {
    std::vector<engine::Input> rest;
    std::string text;
    for (std::size_t place = 0; place < batch.inputs.size(); ++place) {
        auto& input = batch.inputs[place];
        auto subject = subject_of(input);
        if (subject.is_gone)
            seen_.erase(subject.name);
        if (!subject.name.empty() && !subject.is_gone) {
            text.clear();
            write(text, input);
            const auto number = digest(text);
            const auto [found, is_new] = seen_.try_emplace(subject.name, number);
            if (!is_new && std::exchange(found->second, number) == number) {
                batch.again.push_back({place, std::move(subject.name)});
                continue;
            }
        }
        rest.push_back(std::move(input));
    }
    batch.inputs = std::move(rest);
}

bool RecordingExpander::restore(RecordedBatch& batch) {
    std::vector<engine::Input> whole;
    auto again = batch.again.begin();
    for (auto next = batch.inputs.begin(); next != batch.inputs.end() || again != batch.again.end();) {
        if (again != batch.again.end() && again->place == whole.size()) {
            const auto found = seen_.find(again++->what);
            if (found == seen_.end())
                return false;
            whole.push_back(found->second);
            continue;
        }
        if (next == batch.inputs.end())
            return false;
        auto subject = subject_of(*next);
        if (subject.is_gone) {
            seen_.erase(subject.name);
        } else if (!subject.name.empty()) {
            seen_.insert_or_assign(std::move(subject.name), *next);
        }
        whole.push_back(std::move(*next++));
    }
    batch.inputs = std::move(whole);
    batch.again.clear();
    return true;
}

std::string compact(const engine::Action& action) {
    std::string all;
    auto words = std::visit(Overloaded{
                                [&all](const engine::StartWrite& write_) {
                                    write(all, write_);
                                    return fmt::format("{}: {}", write_.write, in_words(write_.what));
                                },
                                [&all](const engine::AnswerBind& answer) {
                                    write(all, answer);
                                    return fmt::format("answer call {}: {}", answer.call,
                                                       answer.error.empty() ? "bound" : answer.error);
                                },
                                [&all](const engine::StartSearch& start) {
                                    write(all, start);
                                    return fmt::format("search {}", start.search);
                                },
                                [&all](const engine::Note& note) {
                                    write(all, note);
                                    return fmt::format("note {}: {}", note.gang, note.sentence);
                                },
                            },
                            action);
    return fmt::format("{} #{:016x}", words, digest(all));
}

}  // namespace echelon::replay
