{{/* echelon's own configuration. */}}
{{- define "echelon.configuration" -}}
{{- $open := include "echelon.urlHost" .Values.listenAddress -}}
{{- $host := ternary $open "127.0.0.1" (eq .Values.mode "standalone") -}}
apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
clientConnection:
  qps: {{ int .Values.clientConnection.qps }}
  burst: {{ int .Values.clientConnection.burst }}
extender: {address: "{{ $host }}:9300"}
bind: {address: "{{ $host }}:9301"}
admin: {address: "{{ $open }}:9302"}
{{- if eq .Values.mode "standalone" }}
tls:
  certFile: /etc/echelon-tls/tls.crt
  keyFile: /etc/echelon-tls/tls.key
  clientCAFile: /etc/echelon-tls/{{ ternary .Values.tls.secret.caKey "ca.crt" (eq .Values.tls.source "secret") }}
  {{- with .Values.tls.allowedNames }}
  allowedNames: {{ toJson . }}
  {{- end }}
{{- end }}
barrier: {timeout: {{ int .Values.timeouts.barrier }}s, connections: {{ int .Values.gangs.barrierConnections }}}
gang: {settle: {{ int .Values.gangs.settleMilliseconds }}ms}
queue: {claimAfter: {{ .Values.queue.claimAfter }}, claimLifetime: {{ .Values.queue.claimLifetime }}}
preemption: {maxVictims: {{ int .Values.preemption.maxVictims }}, timeout: {{ .Values.preemption.timeout }}, foreign: {{ .Values.preemption.foreign }}}
{{- if eq .Values.leader.mode "follow" }}
leader:
  mode: follow
  lease: {namespace: {{ .Release.Namespace }}, name: {{ include "echelon.leaseName" . }}}
{{- else if eq .Values.leader.mode "own" }}
leader:
  mode: own
  lease: {namespace: {{ .Release.Namespace }}, name: {{ include "echelon.leaseName" . }}, duration: {{ int .Values.leader.leaseSeconds }}s}
{{- else }}
leader: {mode: none}
{{- end }}
solver: {steps: {{ int .Values.solver.steps }}}
limits:
  {{- range $key := list "members" "groups" "depth" "declaredGroups" "annotationBytes" "annotationDepth" "topologyNodes" "patternBytes" "resources" "messageBytes" }}
  {{ $key }}: {{ int (index $.Values.limits $key) }}
  {{- end }}
  longestHold: {{ .Values.limits.longestHold }}
  freePriority: {{ .Values.limits.freePriority }}
{{- if or .Values.health.conditions .Values.health.taints }}
health:
  conditions: {{ .Values.health.conditions | toJson }}
  taints: {{ .Values.health.taints | toJson }}
{{- end }}
log: {level: {{ .Values.logging.level }}}
{{- if .Values.webhook.enabled }}
webhook: {address: "{{ $open }}:9303", certFile: /etc/echelon-webhook-tls/tls.crt, keyFile: /etc/echelon-webhook-tls/tls.key}
{{- end }}
{{- if .Values.topologyPush.enabled }}
topologyStore: {namespace: {{ .Release.Namespace }}, name: {{ include "echelon.fullname" . }}-topologies}
{{- end }}
{{- if .Values.translation.enabled }}
translation:
  live: {{ .Values.translation.live }}
  {{- range $key := list "schedulerName" "gangMode" "matchPolicy" }}
  {{ $key }}: {{ index $.Values.translation $key }}
  {{- end }}
  scheduleTimeoutSeconds: {{ int .Values.translation.scheduleTimeoutSeconds }}
  {{- with .Values.translation.defaultQoSClass }}
  defaultQoSClass: {{ . }}
  {{- end }}
  {{- with .Values.translation.topologyKeyMappings }}
  topologyKeyMappings: {{ toJson . }}
  {{- end }}
{{- end }}
{{- if .Values.recording.enabled }}
recording: {directory: /var/lib/echelon, maxMegabytes: {{ int .Values.recording.maxMegabytes }}}
{{- end }}
{{- with .Values.export }}
{{- if .kind }}
export: {kind: {{ .kind }}, name: {{ .name | quote }}{{ with .from }}, from: {{ . | quote }}{{ end }}}
{{- end }}
{{- end }}
{{- if eq .Values.mode "export" }}
profiles: []
{{- else }}
profiles:
- schedulerName: {{ .Values.scheduler.name }}
  gang: {{ .Values.gangs.enabled }}
  topology: {{ .Values.gangs.topology }}
  nominate: {{ .Values.gangs.nominate }}
  protect: {{ .Values.plainPods.protect }}
  scores: {{ .Values.plainPods.scores }}
  preempt: {{ .Values.preemption.enabled }}
  conditions: {{ .Values.gangs.conditions }}
{{- end }}
{{- if or .Values.topologies .Values.topologyFiles.files }}
topologies:
{{- range .Values.topologies }}
- name: {{ .name | quote }}
  levels:
  {{- range .levels }}
  - {{ . | quote }}
  {{- end }}
{{- end }}
{{- range .Values.topologyFiles.files }}
- name: {{ .name | quote }}
  file: {{ printf "/etc/echelon-topologies/%s" .key | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/*
The two extender entries of kube-scheduler's configuration. An entry has one time-out for all verbs, and bind needs a longer
one, since it waits at the barrier. ignorable must be false: otherwise the default binder would bind pods past the barrier.
*/}}
{{- define "echelon.extenders" -}}
{{- $standalone := eq .Values.mode "standalone" -}}
{{- $base := "http://127.0.0.1" -}}
{{- if $standalone }}{{ $base = printf "https://%s" (include "echelon.urlHost" (include "echelon.clusterIP" .)) }}{{ end -}}
extenders:
- urlPrefix: {{ $base }}:9300/v1
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  weight: 200
  nodeCacheCapable: true
  httpTimeout: {{ int .Values.timeouts.control }}s
  ignorable: false
  {{- if $standalone }}
  {{- include "echelon.callerTLS" . | nindent 2 }}
  {{- end }}
- urlPrefix: {{ $base }}:9301/v1
  bindVerb: bind
  nodeCacheCapable: true
  httpTimeout: {{ int .Values.timeouts.bind }}s
  ignorable: false
  {{- if $standalone }}
  {{- include "echelon.callerTLS" . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Without caFile kube-scheduler verifies nothing, and doesn't report it. serverName is stated, since the URL has an address. */}}
{{- define "echelon.callerTLS" -}}
enableHTTPS: true
tlsConfig:
  serverName: {{ include "echelon.serverName" . }}
  caFile: {{ .Values.scheduler.certificateFolder }}/ca.crt
  certFile: {{ .Values.scheduler.certificateFolder }}/tls.crt
  keyFile: {{ .Values.scheduler.certificateFolder }}/tls.key
{{- end -}}

{{/* The whole configuration of the kube-scheduler in the pod, or the part to copy into that of your kube-scheduler. */}}
{{- define "echelon.schedulerConfiguration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
{{- if eq .Values.mode "sidecar" }}
clientConnection:
  qps: {{ int .Values.scheduler.clientConnection.qps }}
  burst: {{ int .Values.scheduler.clientConnection.burst }}
leaderElection:
  leaderElect: true
  resourceName: {{ include "echelon.leaseName" . }}
  resourceNamespace: {{ .Release.Namespace }}
{{- end }}
profiles:
- schedulerName: {{ .Values.scheduler.name }}
  percentageOfNodesToScore: {{ int .Values.scheduler.percentageOfNodesToScore }}
{{- if not (or .Values.scheduler.defaultPreemption (eq .Values.scheduler.name "default-scheduler")) }}
  plugins:
    postFilter:
      disabled:
      - name: DefaultPreemption
{{- end }}
{{ include "echelon.extenders" . }}
{{- end -}}
