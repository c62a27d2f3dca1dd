#include "app/plain_pod_hooks.hpp"

#include "app/engine_loop.hpp"
#include "kube/core/plain_pod.hpp"

#include <string_view>

namespace echelon::app {

void add_plain_pod_hooks(server::Backend& backend, const RunningSettings& settings) {
    backend.protection = [&settings](std::string_view name) { return settings.protection(name); };
    backend.packs = [&settings](std::string_view name) { return settings.packs(name); };
    backend.plain_pod = [](std::string_view pod) { return kube::read_plain_pod(pod); };
    backend.now = [] { return EngineLoop::now(); };
}

}  // namespace echelon::app
