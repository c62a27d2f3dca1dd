#pragma once

// What do a RoleBasedGroup (sgl-project/rbg) and its pods declare? `workloads.x-k8s.io`, v1alpha2 and v1alpha1. Keys
// have the prefix `rbg.workloads.x-k8s.io/`. Keys of v1alpha1 are in brackets, with the prefix
// `rolebasedgroup.workloads.x-k8s.io/` unless they are written in full.
//
// The pods (api/workloads/constants/label.go, v1alpha1/constant.go, pkg/scheduler):
//
//   label pod-group.scheduling.sigs.k8s.io/name, equal to the group's name      gang scheduling is requested
//   labels group-name [name]          the gang "namespace/name": all roles of the object are needed
//     and role-name [role]            the role
//   label role-instance-name          the instance, in a role whose instances have several pods
//     [instance.workloads.x-k8s.io/instance-name]
//   labels of a LeaderWorkerSet       the same: the replica with its sub-groups (`leader_worker_set.hpp`)
//   label component-index             rank
//     [component.rolebasedgroup.workloads.x-k8s.io/index]
//   annotation group-exclusive-topology: KEY      required level of the role; only on pods to which the controller
//     [exclusive-topology]                        gives affinity and anti-affinity, so other roles have no such level
//
// The object (v1alpha2/rolebasedgroup_types.go and v1alpha1/rolebasedgroup_types.go):
//
//   spec.roles[].name                 a leaf, or a composite over instances of several pods
//     .replicas (absent: 1)           minimum and expected: all of them, as in the PodGroup that the controller writes
//     .leaderWorkerPattern.size       pods of an instance, which is placed whole or not at all
//       [.leaderWorkerSet.size]
//     .customComponentsPattern        the same: the sum over its components
//       .components[].size [.components[].size]
//     .dependencies                   the pods are created after other roles: placeholders, in one leaf of all pods
//     .podManagementPolicy:           the same after the first instance
//       OrderedReady
//     .standalonePattern.template,    the pod class of late pods; not read if it is a reference or is patched
//       .leaderWorkerPattern.template [.template]
//   annotation group-gang-scheduling-timeout      timeout: how long seats are held for their pods; 0 is ignored
//     [spec.podGroupPolicy.kubeScheduling.scheduleTimeoutSeconds]
//
// A PodGroup has precedence: a pod with Volcano's annotation or the label `scheduling.x-k8s.io/pod-group` is a member
// of that object, and another decoder reads it. For scheduler-plugins, releases up to 0.8 set only the label of the
// first row; their PodGroup is then no second gang. Pods with Koordinator's label or annotation min-available form
// Koordinator's gang. Pods without any of these marks are plain pods.
//
// Not read: the annotation group-gang-scheduling and spec.podGroupPolicy, since pods have the resulting label;
// role-instance-gang-scheduling, which only affects how the controller creates pods; queue and priority class of
// Volcano; CoordinatedPolicy, whose controller writes a PodGroup. The minimum is stated per role, since a sum of pods
// can't distinguish a whole instance from two halves. Pure.

#include "kube/json/field.hpp"
#include "model/facts/pod.hpp"

#include <optional>
#include <string_view>

namespace echelon::kube {

inline constexpr std::string_view role_based_group_group = "workloads.x-k8s.io";

[[nodiscard]] model::GroupSet read_role_based_group(const Field& object, const Metadata& metadata);
// Nullopt: the pod belongs to no RoleBasedGroup, or to one without gang scheduling.
[[nodiscard]] std::optional<model::Membership> role_based_group_membership(const Metadata& pod);

}  // namespace echelon::kube
