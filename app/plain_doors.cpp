#include "app/plain_doors.hpp"

#include "app/engine_loop.hpp"
#include "kube/core/plain_pod.hpp"

#include <string_view>

namespace echelon::app {

void open_plain_doors(server::Backend& doors, const RunningSettings& settings) {
    doors.protection = [&settings](std::string_view name) { return settings.protection(name); };
    doors.packs = [&settings](std::string_view name) { return settings.packs(name); };
    doors.plain_pod = [](std::string_view pod) { return kube::read_plain_pod(pod); };
    doors.now = [] { return EngineLoop::now(); };
}

}  // namespace echelon::app
