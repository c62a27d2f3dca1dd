// Devices, and the claims to them, come and go.

#include "model/cluster/cluster_state.hpp"

namespace echelon::model {

void Cluster::State::on(const DeviceSliceSeen&, Change&) {}
void Cluster::State::on(const DeviceSliceGone&, Change&) {}
void Cluster::State::on(const DeviceClassSeen&, Change&) {}
void Cluster::State::on(const DeviceClassGone&, Change&) {}
void Cluster::State::on(const DeviceClaimSeen&, Change&) {}
void Cluster::State::on(const DeviceClaimGone&, Change&) {}
void Cluster::State::on(const DeviceTemplateSeen&, Change&) {}
void Cluster::State::on(const DeviceTemplateGone&, Change&) {}

}  // namespace echelon::model
