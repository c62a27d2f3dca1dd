// What is recorded is read back equal, whatever it is.

#include "replay/recording.hpp"

#include "base/text.hpp"
#include "kube/topology/hypernode.hpp"
#include "replay/recorded_json.hpp"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace echelon::replay {
namespace {

std::size_t below(std::size_t count) {
    return *rc::gen::inRange<std::size_t>(0, count);
}

void fill(std::string& value) {
    static const std::vector<std::string> plain = {"", "default/train-0", "a \"quoted\"\\ text\n\t", "node", "hex"};
    const auto pick = below(plain.size() + 1);
    value = pick < plain.size() ? plain[pick] : *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
}
void fill(base::Text& value) {
    std::string text;
    fill(text);
    value = std::move(text);
}
void fill(bool& value) {
    value = below(2) == 1;
}
template <std::integral T>
void fill(T& value) {
    value = *rc::gen::oneOf(rc::gen::arbitrary<T>(),
                            rc::gen::element(T{}, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()));
}
template <HasWords T>
void fill(T& value) {
    value = static_cast<T>(below(RecordedEnum<T>::words.size()));
}
void fill(std::chrono::milliseconds& value) {
    std::int64_t count = 0;
    fill(count);
    value = std::chrono::milliseconds(count);
}
void fill(model::Amounts& value) {
    for (auto left = below(3); left > 0; --left) {
        std::string name;
        fill(name);
        value.set(name, *rc::gen::inRange<std::int64_t>(1, INT64_MAX));
    }
}
void fill(model::NamePattern& value) {
    static const std::vector<std::string> patterns = {"", "^node-[0-9]+$", "no (pattern"};
    value = kube::name_pattern(patterns[below(patterns.size())]);
}
void fill(std::vector<model::SubGroupSelector>& value);
template <HasFields T>
void fill(T& value);
template <HasCases T>
void fill(T& value);
template <typename T>
void fill(std::optional<T>& value);
template <typename T>
void fill(std::vector<T>& value);
template <typename T, typename Less>
void fill(std::map<std::string, T, Less>& value);
template <typename T>
void fill(base::Shared<T>& value);
template <typename T>
void fill(base::Rare<T>& value);
template <typename T>
void fill(base::SharedList<T>& value);

template <HasFields T>
void fill(T& value) {
    std::apply([](auto&... field) { (fill(field), ...); }, Recorded<T>::fields(value));
}
template <HasCases T>
void fill(T& value) {
    const auto wanted = below(std::variant_size_v<T>);
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        const auto one = [&]<std::size_t number>(std::integral_constant<std::size_t, number>) {
            if (number != wanted)
                return;
            auto& inner = value.template emplace<number>();
            if constexpr (!std::is_empty_v<std::remove_reference_t<decltype(inner)>>)
                fill(inner);
        };
        (one(std::integral_constant<std::size_t, at>()), ...);
    }(std::make_index_sequence<std::variant_size_v<T>>());
}
// Groups have sortings, and these have groups.
void fill(std::vector<model::SubGroupSelector>& value) {
    static thread_local int depth = 0;
    if (depth > 0)
        return;
    ++depth;
    value.resize(below(2));
    for (auto& sorting : value)
        fill(sorting);
    --depth;
}
template <typename T>
void fill(std::optional<T>& value) {
    value.reset();
    if (below(2) == 1)
        fill(value.emplace());
}
template <typename T>
void fill(base::Rare<T>& value) {
    fill(value.edit());
}
template <typename T>
void fill(base::SharedList<T>& value) {
    fill(value.edit());
}
template <typename T>
void fill(base::Shared<T>& value) {
    value.reset();
    if (below(2) == 0)
        return;
    T inner;
    fill(inner);
    value = std::move(inner);
}
template <typename T>
void fill(std::vector<T>& value) {
    value.resize(below(3));
    for (auto& one : value)
        fill(one);
}
template <typename T, typename Less>
void fill(std::map<std::string, T, Less>& value) {
    for (auto left = below(3); left > 0; --left) {
        std::string key;
        fill(key);
        fill(value[key]);
    }
}

// Field by field, since not every struct can be compared.
template <typename T>
bool is_same(const T& a, const T& b) {
    if constexpr (HasFields<T>) {
        const auto left = Recorded<T>::fields(a);
        const auto right = Recorded<T>::fields(b);
        return [&]<std::size_t... at>(std::index_sequence<at...>) {
            return (is_same(std::get<at>(left), std::get<at>(right)) && ...);
        }(std::make_index_sequence<Recorded<T>::names.size()>());
    } else if constexpr (HasCases<T>) {
        if (a.index() != b.index())
            return false;
        return std::visit(
            [&b]<typename Case>(const Case& one) {
                if constexpr (std::is_empty_v<Case>) {
                    return true;
                } else {
                    return is_same(one, std::get<Case>(b));
                }
            },
            a);
    } else if constexpr (requires { a.has_value(); }) {
        return a.has_value() == b.has_value() && (!a || is_same(*a, *b));
    } else if constexpr (std::ranges::range<T>) {
        return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
            if constexpr (requires { x.second; }) {
                return x.first == y.first && is_same(x.second, y.second);
            } else {
                return is_same(x, y);
            }
        });
    } else {
        return a == b;
    }
}

TEST_CASE("every input is read back as it was written") {
    CHECK(rc::check([] {
        RecordedBatch batch;
        fill(batch.at);
        batch.inputs.resize(1 + below(2));
        for (auto& input : batch.inputs)
            fill(input);
        fill(batch.actions);
        const auto line = to_line(batch);
        RC_ASSERT(line.find('\n') == line.size() - 1);
        const auto back = read_line(line);
        RC_ASSERT(back.has_value());
        const auto* again = std::get_if<RecordedBatch>(&*back);
        RC_ASSERT(again != nullptr);
        RC_ASSERT(again->at == batch.at);
        RC_ASSERT(again->actions == batch.actions);
        RC_ASSERT(again->inputs.size() == batch.inputs.size());
        for (std::size_t i = 0; i < batch.inputs.size(); ++i)
            RC_ASSERT(is_same(batch.inputs[i], again->inputs[i]));
        RC_ASSERT(to_line(*again) == line);
    }));
}

// By chance some kind of event might never come.
TEST_CASE("every kind of event and input can be read back") {
    const auto check = [](const engine::Input& input) {
        const auto back = read_line(to_line(RecordedBatch{engine::Time{5}, {input}, {}}));
        REQUIRE(back.has_value());
        const auto& batch = std::get<RecordedBatch>(*back);
        REQUIRE(batch.inputs.size() == 1);
        CHECK(is_same(input, batch.inputs.front()));
    };
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        (check(engine::Input(std::in_place_index<at>)), ...);
    }(std::make_index_sequence<std::variant_size_v<engine::Input>>());
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        (check(engine::Observed{model::Event(std::in_place_index<at>)}), ...);
    }(std::make_index_sequence<std::variant_size_v<model::Event>>());
}

TEST_CASE("an unchanged object is recorded by name alone, and is complete when read back") {
    CHECK(rc::check([] {
        RecordingCompressor shortened;
        RecordingExpander restored;
        std::size_t written = 0;
        for (int turn = 0; turn < 6; ++turn) {
            RecordedBatch batch;
            for (auto left = 1 + below(3); left > 0; --left) {
                model::PodSeen seen;
                seen.pod.uid = std::string(1, static_cast<char>('a' + below(2)));
                seen.pod.priority = static_cast<std::int64_t>(below(2));
                model::NodeSeen node;
                node.node.name = seen.pod.uid;
                const std::vector<engine::Input> some = {engine::Observed{seen}, engine::Observed{node},
                                                         engine::Observed{model::PodGone{seen.pod.uid}},
                                                         engine::Ticked{}};
                batch.inputs.push_back(some[below(some.size())]);
            }
            const auto before = batch.inputs;
            shortened.shorten(batch);
            RC_ASSERT(batch.inputs.size() + batch.again.size() == before.size());
            written += batch.again.size();
            auto back = read_line(to_line(batch));
            RC_ASSERT(back.has_value());
            auto& again = std::get<RecordedBatch>(*back);
            RC_ASSERT(restored.restore(again));
            RC_ASSERT(again.inputs.size() == before.size());
            for (std::size_t i = 0; i < before.size(); ++i)
                RC_ASSERT(is_same(before[i], again.inputs[i]));
        }
        RC_CLASSIFY(written > 0);
    }));
    RecordingExpander restored;
    RecordedBatch unknown{engine::Time{1}, {}, {}, {{0, "node n1"}}};
    CHECK(!restored.restore(unknown));
    RecordedBatch misplaced{engine::Time{1}, {}, {}, {{7, "node n1"}}};
    CHECK(!restored.restore(misplaced));
}

TEST_CASE("how the engine was set up is read back as it was written") {
    CHECK(rc::check([] {
        RecordingHead head{.made_by = "echelon 1", .began = "then", .at = engine::Time{7}, .options = {}};
        std::apply([](auto&... field) { (fill(field), ...); }, Recorded<engine::Options>::fields(head.options));
        const auto back = read_line(to_line(head));
        RC_ASSERT(back.has_value());
        const auto* again = std::get_if<RecordingHead>(&*back);
        RC_ASSERT(again != nullptr);
        RC_ASSERT(is_same(head.options, again->options));
        RC_ASSERT(again->made_by == head.made_by);
        RC_ASSERT(again->at == head.at);
    }));
}

TEST_CASE("a name pattern judges names again when it is read back") {
    model::DeclaredDomain domain;
    domain.members.resize(1);
    domain.members[0].pattern = kube::name_pattern("^a[0-9]$");
    const auto back = read_line(to_line(RecordedBatch{{}, {engine::Observed{model::DomainSeen{domain}}}, {}}));
    REQUIRE(back.has_value());
    const auto& input = std::get<RecordedBatch>(*back).inputs.front();
    const auto& event = std::get<model::DomainSeen>(std::get<engine::Observed>(input).event);
    const auto& pattern = event.domain.members.at(0).pattern;
    REQUIRE(pattern.matches);
    CHECK(pattern.matches("a7"));
    CHECK(!pattern.matches("b7"));
}

TEST_CASE("people can read a recording: words, names, nothing that has its default") {
    model::Pod pod;
    pod.uid = "u1";
    pod.ns = "default";
    pod.name = "train-0";
    pod.phase = model::PodPhase::running;
    pod.pod_class.requests = {{"cpu", 500}};
    CHECK(to_line(RecordedBatch{engine::Time{12}, {engine::Observed{model::PodSeen{pod}}}, {"bind"}}) ==
          R"({"at":12,"inputs":[{"observed":{"event":{"podSeen":{"pod":{"uid":"u1","ns":"default","name":"train-0",)"
          R"("phase":"Running","shape":{"requests":{"cpu":500}}}}}}}],"actions":["bind"]})"
          "\n");
}

TEST_CASE("a line that is no recording is refused with the way to what is wrong") {
    struct Row {
        const char* line;
        const char* problem;
    };
    const Row rows[] = {
        {"", "isn't a JSON object"},
        {"[1]", "isn't a JSON object"},
        {R"({"recording":2,"head":{}})", "is of format 2, only 1 is understood"},
        {R"({"recording":1})", "head: is missing"},
        {R"({"recording":1,"head":{"options":{"settle":"x"}}})",
         "head.options.settle: must be a whole number within its bounds"},
        {R"({"at":1,"inputs":{}})", "inputs: must be a list"},
        {R"({"at":1,"inputs":[{"ticked":{}},{"tocked":{}}]})",
         "inputs[1]: must be one of observed, filtered, bindCalled, callerGone, written, ticked, leadChanged, "
         "draining, reconfigured, searchEnded"},
        {R"({"at":1,"inputs":[{"callerGone":{"call":-1}}]})",
         "inputs[0].callerGone.call: must be a whole number within its bounds"},
        {R"({"at":1,"inputs":[{"observed":{"event":{"podSeen":{"pod":{"phase":"Lost"}}}}}]})",
         "inputs[0].observed.event.podSeen.pod.phase: must be one of Pending, Running, Succeeded, Failed, Unknown"},
        {R"({"at":1,"inputs":[{"observed":{"event":{"nodeGone":{"nam":"a"}}}}]})",
         "inputs[0].observed.event.nodeGone.nam: isn't known"},
        {R"({"at":1,"actions":[{"hex":"0"}]})", "actions[0]: must be a text"},
        {R"({"end":1})", "end: must be a text"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.line);
        const auto back = read_line(row.line);
        REQUIRE(!back.has_value());
        CHECK(back.error().sentence == row.problem);
    }
}

TEST_CASE("an action in short changes with whatever changes in it") {
    engine::StartWrite write{3, model::BindPod{{"default", "a", "u1"}, "n1", "plan.1"}};
    const auto before = compact(write);
    CHECK(before.starts_with("3: bind default/a to n1 #"));
    std::get<model::BindPod>(write.what).pod.uid = "u2";
    const auto after = compact(write);
    CHECK(after.starts_with("3: bind default/a to n1 #"));
    CHECK(after != before);
}

}  // namespace
}  // namespace echelon::replay
