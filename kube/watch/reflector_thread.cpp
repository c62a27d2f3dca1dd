#include "kube/watch/reflector_thread.hpp"

#include "kube/decode.hpp"
#include "kube/json/json_member.hpp"
#include "kube/json/quoted_text.hpp"
#include "kube/watch/incoming_stream.hpp"

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <pthread.h>

namespace echelon::kube {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A group that disappears for a moment while its server restarts must not tear gangs apart: it is believed gone only
// when it is still gone at the next look.
constexpr int looks_before_gone = 2;
// Rights may be granted at the very moment that we begin.
constexpr int lists_before_forbidden = 2;

// "namespace/name"; empty: it has no name.
std::string name_in(const nlohmann::json& object) {
    const std::string ns = metadata_of(object, "namespace");
    const std::string name = metadata_of(object, "name");
    return ns.empty() || name.empty() ? name : ns + "/" + name;
}

// Made safe, without its quotation marks.
std::string bare(const std::string& name) {
    const std::string quoted = shown(name);
    return quoted.substr(1, quoted.size() - 2);
}

// The object without anything but its identity.
nlohmann::json identity_in(const nlohmann::json& object) {
    nlohmann::json out = {{"metadata", nlohmann::json::object()}};
    for (const char* key : {"apiVersion", "kind"}) {
        if (const auto found = object.find(key); found != object.end())
            out[key] = *found;
    }
    for (const char* key : {"name", "namespace", "uid"}) {
        if (std::string value = metadata_of(object, key); !value.empty())
            out["metadata"][key] = std::move(value);
    }
    return out;
}

}  // namespace

ReflectorThread::ReflectorThread(const WatchedKind& kind, std::shared_ptr<Credentials> credentials, WatchPace pace,
                                 Watcher::Sink sink, Watcher::Log log, ServedKinds& served, const model::Limits& limits,
                                 Read read, std::shared_ptr<const NodeHealth> health)
    : kind_(kind),
      name_(full_name(kind)),
      pace_(pace),
      sink_(std::move(sink)),
      log_(std::move(log)),
      limits_(limits),
      health_(std::move(health)),
      read_(std::move(read)),
      served_(served),
      client_(std::move(credentials)),
      numbers_(std::random_device{}()),
      discovery_backoff_(pace.backoff_first, pace.backoff_limit, pace.backoff_quiet) {
    status_.what = name_;
    status_.trouble = "not asked yet";
}

void ReflectorThread::run(const std::stop_token& stop) {
    constexpr std::size_t longest = 15;  // More is refused.
    ::pthread_setname_np(::pthread_self(), ("watch " + name_).substr(0, longest).c_str());
    while (!stop.stop_requested()) {
        if (path_.empty()) {
            discover_kind(stop);
            continue;
        }
        read_anew_if_needed();
        const ListWatchState::Step step = reflector_->next(Clock::now());
        switch (step.kind) {
            case ListWatchState::Step::Kind::wait:
                pause(stop, step.wait);
                continue;
            case ListWatchState::Step::Kind::list:
                list(step.query);
                break;
            case ListWatchState::Step::Kind::watch:
                watch(step.query);
                break;
        }
        if (reflector_->kind_was_missing() && !kind_.group.empty())
            path_.clear();
        publish();
    }
}

void ReflectorThread::discover_kind(const std::stop_token& stop) {
    const Discovery found = discover(client_, kind_);
    switch (found.kind) {
        case Discovery::Kind::served:
            unserved_in_a_row_ = 0;
            served_.tell(kind_, true);
            if (reads_pods() && !reflector_) {
                served_.wait_for_all(stop, pace_.first_discovery);
                unserved_ = served_.unserved();
            }
            served_as(found.version);
            break;
        case Discovery::Kind::unserved:
        case Discovery::Kind::unknown:
            unserved(found);
            pause(stop, pace_.rediscovery);
            break;
        case Discovery::Kind::failed: {
            if (stop.stop_requested())
                return;
            say(found.sentence);
            {
                const std::lock_guard lock(status_mutex_);
                status_.trouble = found.sentence;
            }
            const milliseconds wait = discovery_backoff_.next(Clock::now(), random());
            pause(stop, std::max(wait, std::chrono::duration_cast<milliseconds>(
                                           found.retry_after.value_or(std::chrono::seconds(0)))));
            break;
        }
    }
}

void ReflectorThread::served_as(const std::string& version) {
    path_ = list_path(kind_, version);
    shape_ = read_ ? nullptr : shape_of(api_version(kind_, version), kind_.kind);
    if (reflector_) {
        reflector_->served_as(version);
    } else {
        reflector_.emplace(
            kind_, version, pace_, [this] { return random(); },
            [this](const Value& object, Change change) { deliver(object, change); },
            [this](const nlohmann::json& outline, const std::string& fault) {
                const std::string name = name_in(outline);
                cannot_read(outline, {name.empty() ? fmt::format("{}: {}", name_, fault)
                                                   : fmt::format("{} {}: {}", kind_.kind, bare(name), fault)});
            },
            [this](const std::string& sentence) { say(sentence); });
    }
    const std::lock_guard lock(status_mutex_);
    status_.served = true;
    status_.listed = synced_;
}

void ReflectorThread::unserved(const Discovery& found) {
    const bool is_gone = ++unserved_in_a_row_ >= looks_before_gone || !reflector_;
    if (is_gone && reflector_)
        reflector_->unserved();
    // Objects that are there, in a version that we can't read, are waited for.
    if (is_gone)
        served_.tell(kind_, found.kind == Discovery::Kind::unknown);
    bool is_news = false;  // What stays is said once.
    {
        const std::lock_guard lock(status_mutex_);
        status_.served = false;
        status_.listed = true;
        is_news = std::exchange(status_.trouble, found.sentence) != found.sentence;
        status_.objects = reflector_ ? reflector_->objects() : 0;
        status_.last_event = Clock::now();
    }
    if (is_news && !found.sentence.empty())
        say(found.sentence);
    synced();
}

void ReflectorThread::list(const std::string& query) {
    reflector_->list_began(Clock::now());
    IncomingList incoming(*reflector_, shape_);
    const HttpRequest request{
        .target = path_ + query, .accept = accepted(shape_), .compressed = true, .silence = pace_.list_silence};
    HttpAnswer answer = client_.stream(
        request, [&](std::string_view data) { return incoming.feed(data); },
        [&](std::string_view content_type) { incoming.opened(content_type); });
    // Bytes that aren't a list end the reading; the answer as such was complete.
    if (answer.ending == HttpAnswer::Ending::declined)
        answer.ending = HttpAnswer::Ending::complete;
    reflector_->list_ended(answer, incoming.complete(), Clock::now());
    const ListWatchState::Figures& figures = reflector_->figures();
    if (figures.listed && reflector_->has_read_every_name())
        book_.strike("");
    // What may not be read is as if it weren't there; those who name it wait, all others go on.
    if (figures.listed || (figures.forbidden >= lists_before_forbidden && !kind_.is_needed))
        synced();
}

void ReflectorThread::watch(const std::string& query) {
    reflector_->watch_began(Clock::now());
    IncomingWatch incoming(*reflector_, shape_, Clock::now);
    const HttpRequest request{.target = path_ + query, .accept = accepted(shape_), .silence = pace_.watch_silence};
    const HttpAnswer answer = client_.stream(
        request,
        [&](std::string_view data) {
            const bool more = incoming.feed(data);
            publish();
            return more;
        },
        [&](std::string_view content_type) {
            incoming.opened(content_type);
            reflector_->watch_opened(Clock::now());
            publish();
        });
    reflector_->watch_ended(answer, incoming.is_inside_event(), Clock::now());
}

// A pod that names an object of a kind that has come or gone belongs elsewhere from now on.
void ReflectorThread::read_anew_if_needed() {
    if (!reads_pods() || unserved_ == served_.unserved())
        return;
    unserved_ = served_.unserved();
    reflector_->read_anew();
}

void ReflectorThread::deliver(const Value& object, Change change) {
    base::Result<std::vector<model::Event>> events = events_of(object, change);
    if (!events && change == Change::gone) {
        const nlohmann::json identity = identity_in(object.tree());  // What goes needs no more than its name.
        events = events_of(identity, change);
    }
    if (!events) {
        ++undecoded_;
        cannot_read(object.tree(), events.error());
        return;
    }
    if (!book_.is_empty())
        book_.strike(name_in(object.tree()));
    for (model::Event& event : *events) {
        if (const auto* seen = std::get_if<model::NodeSeen>(&event); seen != nullptr && !seen->node.faults.empty()) {
            ++undecoded_;
            note_fault(object.tree(), fmt::format("{} {}: {}", kind_.kind, seen->node.name, seen->node.faults.front()));
        }
        sink_(std::move(event));
    }
}

base::Result<std::vector<model::Event>> ReflectorThread::events_of(const Value& object, Change change) const {
    if (read_)
        return read_(object.tree(), change);
    return decode(object, change, {unserved_, limits_, health_});
}

void ReflectorThread::note_fault(const nlohmann::json& object, const std::string& sentence) {
    const bool is_news = book_.note({.name = name_in(object),
                                     .version = metadata_of(object, "resourceVersion"),
                                     .sentence = sentence,
                                     .since = Clock::now()});
    if (is_news)
        say(sentence);
}

void ReflectorThread::cannot_read(const nlohmann::json& object, const base::Error& fault) {
    note_fault(object, fault.sentence);
    if (auto event = placeholder_object(object, fault, limits_))
        sink_(std::move(*event));
}

void ReflectorThread::synced() {
    if (std::exchange(synced_, true))
        return;
    {
        // Whoever has seen the event must find the status in step with it.
        const std::lock_guard lock(status_mutex_);
        status_.listed = true;
        status_.trouble = reflector_ ? reflector_->figures().trouble : status_.trouble;
    }
    sink_(model::Synced{name_});
}

void ReflectorThread::say(const std::string& sentence) {
    if (!log_)
        return;
    for (const std::string& line : gate_.pass(sentence, Clock::now()))
        log_(line);
}

void ReflectorThread::publish() {
    const ListWatchState::Figures& now = reflector_->figures();
    const std::lock_guard lock(status_mutex_);
    status_.listed = synced_;
    status_.trouble = now.trouble.empty() && !now.listed ? "not listed yet" : now.trouble;
    status_.objects = reflector_->objects();
    status_.last_event = now.last_event;
    status_.added = now.added;
    status_.modified = now.modified;
    status_.deleted = now.deleted;
    status_.bookmarks = now.bookmarks;
    status_.restarts_eof = now.restarts_eof;
    status_.restarts_expired = now.restarts_expired;
    status_.restarts_stall = now.restarts_stall;
    status_.restarts_error = now.restarts_error;
    status_.relists = now.relists;
    status_.unreadable = now.unreadable + undecoded_;
    if (status_.unreadable_objects != book_.entries())
        status_.unreadable_objects = book_.entries();
}

void ReflectorThread::pause(const std::stop_token& stop, milliseconds time) {
    std::unique_lock lock(pause_mutex_);
    pause_.wait_for(lock, stop, time, [] { return false; });
}

bool ReflectorThread::reads_pods() const {
    return kind_.group.empty() && kind_.resource == "pods";
}

WatchStatus ReflectorThread::status() const {
    const std::lock_guard lock(status_mutex_);
    return status_;
}

}  // namespace echelon::kube
