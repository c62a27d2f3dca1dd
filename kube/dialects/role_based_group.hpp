#pragma once

// What do a RoleBasedGroup and its pods ask for? `workloads.x-k8s.io`, v1alpha2 and v1alpha1, of sgl-project/rbg. Keys
// have the prefix `rbg.workloads.x-k8s.io/`; those in brackets are of v1alpha1, with the prefix
// `rolebasedgroup.workloads.x-k8s.io/` unless they are written in full.
//
// The pods (api/workloads/constants/label.go, v1alpha1/constant.go, pkg/scheduler):
//
//   label pod-group.scheduling.sigs.k8s.io/name, equal to the group's name      gang scheduling is asked for
//   labels group-name [name]          the gang "namespace/name": every role of the object is needed
//     and role-name [role]            the role
//   label role-instance-name          the instance within a role whose instances have several pods
//     [instance.workloads.x-k8s.io/instance-name]
//   labels of a LeaderWorkerSet       the same: the replica, with its sub-groups (`leader_worker_set.hpp`)
//   label component-index             rank
//     [component.rolebasedgroup.workloads.x-k8s.io/index]
//   annotation group-exclusive-topology: KEY      required level of the role. The controller writes it on the pods that
//     [exclusive-topology]                        it gives affinity and anti-affinity, so roles without it are free.
//
// The object (v1alpha2/rolebasedgroup_types.go and v1alpha1/rolebasedgroup_types.go):
//
//   spec.roles[].name                 a leaf, or a composite over instances of several pods
//     .replicas (absent: 1)           minimum and expected: all of them, as the PodGroup counts that its controller
//     writes .leaderWorkerPattern.size       pods of an instance, which is placed whole or not at all
//       [.leaderWorkerSet.size]
//     .customComponentsPattern        the same: the sum over its components
//       .components[].size [.components[].size]
//     .dependencies                   the pods come after those of other roles: placeholders, in one leaf of all pods
//     .podManagementPolicy:           the same after the first instance
//       OrderedReady
//     .standalonePattern.template,    the shape of pods that come late; unread if it is a reference or is patched
//       .leaderWorkerPattern.template [.template]
//   annotation group-gang-scheduling-timeout      timeout: how long held seats wait for their pods; 0 states nothing
//     [spec.podGroupPolicy.kubeScheduling.scheduleTimeoutSeconds]
//
// A PodGroup goes first, and lines of other dialects read it. A pod with Volcano's annotation or with the label
// `scheduling.x-k8s.io/pod-group` is a member of that object. Releases up to 0.8 set neither for scheduler-plugins:
// their only mark is the label of the first row. Their PodGroup is then no second gang. Pods that state a minimum of
// Koordinator are its gang. Pods without any mark are plain pods, since nobody asked for a gang.
//
// Not read: the annotation group-gang-scheduling and spec.podGroupPolicy, since pods carry the mark that they cause;
// role-instance-gang-scheduling, which is about how the controller makes pods; queue and priority class of Volcano;
// CoordinatedPolicy, whose controller writes a PodGroup of the first kind. A sum of pods would not tell a whole
// instance from two halves, so the tree states the same minimum role by role. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view role_based_group_group = "workloads.x-k8s.io";

[[nodiscard]] model::GroupSet read_role_based_group(const Field& object, const Metadata& metadata);
// nullopt: the pod is of no RoleBasedGroup, or of one that asks for no gang.
[[nodiscard]] std::optional<model::Membership> role_based_group_membership(const Metadata& pod);

}  // namespace echelon::kube
