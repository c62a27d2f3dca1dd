{{/* Rules over several values, which values.schema.json cannot state. Each is refused with one sentence. */}}
{{- define "echelon.validate" -}}
{{- with .Values -}}
{{- $standalone := eq .mode "standalone" -}}
{{- $sidecar := eq .mode "sidecar" -}}
{{- if .scheduler.ignorable -}}
{{- fail "scheduler.ignorable must be false: kube-scheduler would pass over an echelon that is away, and bind members one by one" -}}
{{- end -}}
{{- if lt (int .timeouts.bind) (add (int .timeouts.barrier) 5 | int) -}}
{{- fail (printf "timeouts.bind (%d s) must be at least 5 s longer than timeouts.barrier (%d s): members that wait at the barrier need their answer before kube-scheduler gives up" (int .timeouts.bind) (int .timeouts.barrier)) -}}
{{- end -}}
{{- if and (not $sidecar) (eq .leader.mode "follow") -}}
{{- fail "leader.mode follow needs mode sidecar: a standalone echelon has no kube-scheduler beside it to follow" -}}
{{- end -}}
{{- if and $sidecar (eq .leader.mode "own") -}}
{{- fail "leader.mode own needs mode standalone: a sidecar acts when the kube-scheduler of its own pod leads (follow)" -}}
{{- end -}}
{{- if and (gt (int .replicaCount) 1) (eq .leader.mode "none") -}}
{{- fail (printf "replicaCount %d needs leader.mode %s: two that always act would plan against each other" (int .replicaCount) (ternary "follow" "own" $sidecar)) -}}
{{- end -}}
{{- if and (gt (int .replicaCount) 1) (eq .leader.mode "own") -}}
{{- $current := dig "data" "echelon.yaml" "" (lookup "v1" "ConfigMap" $.Release.Namespace (include "echelon.fullname" $)) -}}
{{- if contains "leader: {mode: none}" $current -}}
{{- fail "an echelon of leader.mode none runs, and would act beside the new ones during the update: first set leader.mode own with replicaCount 1, then the replicas" -}}
{{- end -}}
{{- end -}}
{{- $timeout := include "echelon.seconds" .preemption.timeout | float64 -}}
{{- if or (lt $timeout 1.0) (gt $timeout 86400.0) -}}
{{- fail (printf "preemption.timeout must be from 1s to 24h, not %s: echelon would not start" .preemption.timeout) -}}
{{- end -}}
{{- $hold := include "echelon.seconds" .limits.longestHold | float64 -}}
{{- if or (lt $hold 1.0) (gt $hold 86400.0) (ne $hold (floor $hold)) -}}
{{- fail (printf "limits.longestHold must be whole seconds from 1s to 24h, not %s: echelon would not start" .limits.longestHold) -}}
{{- end -}}
{{- if and .preemption.enabled (not .gangs.enabled) (ne .mode "export") -}}
{{- fail "preemption.enabled needs gangs.enabled: pods are evicted for gangs alone" -}}
{{- end -}}
{{- if not (kindIs "string" (printf "name: %s" .scheduler.name | fromYaml).name) -}}
{{- fail (printf "scheduler.name must not be %s: YAML does not read it as text" .scheduler.name) -}}
{{- end -}}
{{- if and $sidecar (eq .scheduler.name "default-scheduler") -}}
{{- fail "scheduler.name must not be default-scheduler in mode sidecar: two schedulers of one name race for every pod" -}}
{{- end -}}
{{- $placer := default "default-scheduler" .schedulerName -}}
{{- if and $sidecar (eq .scheduler.name $placer) -}}
{{- fail (printf "schedulerName must not be %s: the kube-scheduler in the pod can't place its own pod" $placer) -}}
{{- end -}}
{{- if and $standalone (eq .scheduler.name $placer) (lt (int .replicaCount) 2) -}}
{{- fail (printf "scheduler.name %s places echelon's own pod, too, and places nobody while echelon is away: set replicaCount 2 with leader.mode own, or schedulerName to another scheduler" $placer) -}}
{{- end -}}
{{- if and (not .gangs.nominate) (ne (int .scheduler.percentageOfNodesToScore) 100) -}}
{{- fail "scheduler.percentageOfNodesToScore must be 100 without gangs.nominate: a planned node that is sampled away cannot be named" -}}
{{- end -}}
{{- if and $standalone (eq .tls.source "secret") (not .tls.secret.name) -}}
{{- fail "tls.source secret needs tls.secret.name: a Secret with tls.crt, tls.key and the CA of the callers" -}}
{{- end -}}
{{- if and $standalone (eq .tls.source "secret") (not .tls.secret.caKey) -}}
{{- fail "tls.secret.caKey must not be empty: without a CA for its callers anybody who reaches echelon could bind pods" -}}
{{- end -}}
{{- if and .webhook.enabled (eq .tls.source "secret") (not (and .webhook.secretName .webhook.caBundle)) -}}
{{- fail "webhook.enabled with tls.source secret needs webhook.secretName and webhook.caBundle: the API server calls no webhook whose CA it lacks" -}}
{{- end -}}
{{- if and (or $standalone .webhook.enabled) (eq .tls.source "certManager") (not ($.Capabilities.APIVersions.Has "cert-manager.io/v1")) -}}
{{- fail "tls.source certManager needs a cluster that serves cert-manager.io/v1" -}}
{{- end -}}
{{- if and (eq .mode "export") (not .export.kind) -}}
{{- fail "mode export needs export.kind: as whose objects the topology is kept" -}}
{{- end -}}
{{- if and .export.kind (not .export.name) -}}
{{- fail "export.kind needs export.name: what the objects are called" -}}
{{- end -}}
{{- if and (eq .export.kind "ClusterNetworkTopology") (ne .export.name "default") -}}
{{- fail "export.name must be default: Koordinator reads no other ClusterNetworkTopology" -}}
{{- end -}}
{{- if and .topologyFiles.files (not .topologyFiles.configMap) -}}
{{- fail "topologyFiles.files needs topologyFiles.configMap: the ConfigMap that has them" -}}
{{- end -}}
{{- if and .topologyFiles.configMap (not .topologyFiles.files) -}}
{{- fail "topologyFiles.configMap needs topologyFiles.files: which of its keys are topologies, as no other is read" -}}
{{- end -}}
{{- $names := list -}}
{{- range concat .topologies .topologyFiles.files -}}
{{- if has .name $names -}}
{{- fail (printf "topologies, topologyFiles: the name %q is used twice" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The seconds of a duration such as 1m30s. */}}
{{- define "echelon.seconds" -}}
{{- $seconds := 0.0 -}}
{{- range regexFindAll "[0-9.]+[a-z]+" . -1 -}}
{{- $unit := get (dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0) (regexFind "[a-z]+" .) -}}
{{- $seconds = addf $seconds (mulf (regexFind "[0-9.]+" .) $unit) -}}
{{- end -}}
{{- $seconds -}}
{{- end -}}

{{/* The cluster keeps the certificates that the chart makes. `helm template` has no cluster, so lookup finds none there. */}}
{{- define "echelon.keepsCertificates" -}}
{{- include "echelon.validate" . -}}
{{- if not (or .Values.tls.throwaway (lookup "v1" "Namespace" "" "kube-system")) -}}
{{- fail "tls.source chart needs the cluster at each render, to find the certificates that it made, and helm has none here: set tls.source to certManager or secret, or install with helm itself" -}}
{{- end -}}
{{- end -}}
