{{/* Names and labels. */}}
{{- define "echelon.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "echelon.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "echelon.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "echelon.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Names of cluster-wide objects: two releases in two namespaces must not share them. */}}
{{- define "echelon.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "echelon.fullname" .) -}}
{{- end -}}

{{- define "echelon.serviceAccountName" -}}
{{- default (include "echelon.fullname" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "echelon.selectorLabels" -}}
app.kubernetes.io/name: {{ include "echelon.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "echelon.labels" -}}
{{ include "echelon.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: scheduler
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The Lease of this kube-scheduler, and the one that echelon follows. */}}
{{- define "echelon.leaseName" -}}
{{- include "echelon.fullname" . -}}
{{- end -}}

{{- define "echelon.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The kube-scheduler of the cluster's own version, without what vendors append to it (v1.33.4-eks-1, v1.33.4+k3s1). */}}
{{- define "echelon.schedulerImage" -}}
{{- with .Values.scheduler.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default (regexFind "^v[0-9]+\\.[0-9]+\\.[0-9]+" $.Capabilities.KubeVersion.Version) .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Restricted profile: neither container needs more. */}}
{{- define "echelon.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* What values.schema.json cannot say: rules over several values. */}}
{{- define "echelon.validate" -}}
{{- with .Values -}}
{{- if lt (int .timeouts.bind) (add (int .timeouts.barrier) 5 | int) -}}
{{- fail (printf "timeouts.bind (%d s) must be at least 5 s longer than timeouts.barrier (%d s): members that wait at the barrier need their answer before kube-scheduler gives up" (int .timeouts.bind) (int .timeouts.barrier)) -}}
{{- end -}}
{{- if and (gt (int .replicaCount) 1) (ne .leader.mode "follow") -}}
{{- fail (printf "replicaCount %d needs leader.mode follow: two that always act would plan against each other" (int .replicaCount)) -}}
{{- end -}}
{{- if and (not .gangs.nominate) (ne (int .scheduler.percentageOfNodesToScore) 100) -}}
{{- fail "scheduler.percentageOfNodesToScore must be 100 without gangs.nominate: a planned node that is sampled away cannot be named" -}}
{{- end -}}
{{- $names := list -}}
{{- range .topologies -}}
{{- if has .name $names -}}
{{- fail (printf "topologies: the name %q is used twice" .name) -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* echelon's own configuration. */}}
{{- define "echelon.configuration" -}}
apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
clientConnection:
  qps: {{ int .Values.clientConnection.qps }}
  burst: {{ int .Values.clientConnection.burst }}
extender: {address: "127.0.0.1:9300"}
bind: {address: "127.0.0.1:9301"}
admin: {address: "0.0.0.0:9302"}
barrier: {timeout: {{ int .Values.timeouts.barrier }}s}
gang: {settle: {{ int .Values.gangs.settleMilliseconds }}ms}
{{- if eq .Values.leader.mode "follow" }}
leader:
  mode: follow
  lease: {namespace: {{ .Release.Namespace }}, name: {{ include "echelon.leaseName" . }}}
{{- else }}
leader: {mode: none}
{{- end }}
profiles:
- schedulerName: {{ .Values.scheduler.name }}
  gang: {{ .Values.gangs.enabled }}
  topology: {{ .Values.gangs.topology }}
  nominate: {{ .Values.gangs.nominate }}
{{- with .Values.topologies }}
topologies:
{{- range . }}
- name: {{ .name | quote }}
  levels:
  {{- range .levels }}
  - {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The scheduler's: two entries, since one entry has one time-out for all of its verbs and bind has to wait at the barrier.
ignorable stays false on both: passed over, a bind would slip past the barrier to the default binder.
*/}}
{{- define "echelon.schedulerConfiguration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  qps: {{ int .Values.scheduler.clientConnection.qps }}
  burst: {{ int .Values.scheduler.clientConnection.burst }}
leaderElection:
  leaderElect: true
  resourceName: {{ include "echelon.leaseName" . }}
  resourceNamespace: {{ .Release.Namespace }}
profiles:
- schedulerName: {{ .Values.scheduler.name }}
  percentageOfNodesToScore: {{ int .Values.scheduler.percentageOfNodesToScore }}
{{- if not .Values.scheduler.defaultPreemption }}
  plugins:
    postFilter:
      disabled:
      - name: DefaultPreemption
{{- end }}
extenders:
- urlPrefix: http://127.0.0.1:9300/v1
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  weight: 20
  nodeCacheCapable: true
  httpTimeout: {{ int .Values.timeouts.control }}s
  ignorable: false
- urlPrefix: http://127.0.0.1:9301/v1
  bindVerb: bind
  nodeCacheCapable: true
  httpTimeout: {{ int .Values.timeouts.bind }}s
  ignorable: false
{{- end -}}
