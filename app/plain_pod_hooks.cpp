#include "app/plain_pod_hooks.hpp"

#include "app/engine_question.hpp"
#include "kube/core/plain_pod.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echelon::app {

void add_plain_pod_hooks(server::Backend& backend, const RunningSettings& settings, EngineLoop& loop) {
    backend.protection = [&settings](std::string_view name) { return settings.protection(name); };
    backend.packs = [&settings](std::string_view name) { return settings.packs(name); };
    backend.plain_pod = [](std::string_view pod) { return kube::read_plain_pod(pod); };
    backend.may_evict = [&loop](std::vector<std::vector<std::string>> victims) {
        return ask_engine<std::vector<bool>>(loop, {}, [victims = std::move(victims)](const engine::Engine& engine) {
            return engine.may_evict(victims);
        });
    };
    backend.now = [] { return EngineLoop::now(); };
}

}  // namespace echelon::app
