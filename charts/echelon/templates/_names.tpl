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

{{/* Names of cluster-wide objects, which differ between releases in two namespaces. */}}
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

{{/* An address in the form that a port follows: IPv6 in brackets. */}}
{{- define "echelon.urlHost" -}}
{{- ternary (printf "[%s]" .) . (contains ":" .) -}}
{{- end -}}

{{/* Standalone: the Service that kube-scheduler calls, as its certificate names it. */}}
{{- define "echelon.serverName" -}}
{{- printf "%s.%s.svc" (include "echelon.fullname" .) .Release.Namespace -}}
{{- end -}}

{{/*
The address of echelon for kube-scheduler. A static pod has the resolver of its node, which rarely knows the names of
Services. The address is known once the Service exists, or if it is configured.
*/}}
{{- define "echelon.clusterIP" -}}
{{- $service := lookup "v1" "Service" .Release.Namespace (include "echelon.fullname" .) -}}
{{- if .Values.service.clusterIP -}}
{{- .Values.service.clusterIP -}}
{{- else -}}
{{- dig "spec" "clusterIP" "CLUSTER-IP" $service -}}
{{- end -}}
{{- end -}}

{{/* Standalone: the Secrets with the certificates of echelon and of kube-scheduler. */}}
{{- define "echelon.serverSecret" -}}
{{- if eq .Values.tls.source "secret" -}}
{{- .Values.tls.secret.name -}}
{{- else -}}
{{- printf "%s-tls" (include "echelon.fullname" .) -}}
{{- end -}}
{{- end -}}

{{- define "echelon.callerSecret" -}}
{{- printf "%s-caller-tls" (include "echelon.fullname" .) -}}
{{- end -}}

{{/* The CA that the chart makes, with its key. No pod mounts it. */}}
{{- define "echelon.authoritySecret" -}}
{{- printf "%s-ca-tls" (include "echelon.fullname" .) -}}
{{- end -}}

{{/* The Service of the webhook, and the Secret with its certificate. */}}
{{- define "echelon.webhookName" -}}
{{- printf "%s-webhook" (include "echelon.fullname" .) -}}
{{- end -}}

{{- define "echelon.webhookSecret" -}}
{{- if eq .Values.tls.source "secret" -}}
{{- .Values.webhook.secretName -}}
{{- else -}}
{{- printf "%s-webhook-tls" (include "echelon.fullname" .) -}}
{{- end -}}
{{- end -}}

{{/* "yes" if an object of the monitoring stack is rendered. Arguments: WANTED (true, false or auto), KIND. */}}
{{- define "echelon.monitors" -}}
{{- $served := .root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" .kind) -}}
{{- if and (eq (toString .wanted) "true") (not $served) -}}
{{- fail (printf "metrics.%s.enabled is true, but the cluster doesn't serve %s of monitoring.coreos.com/v1: say auto, or install the operator first" .value .kind) -}}
{{- end -}}
{{- if and $served (ne (toString .wanted) "false") -}}yes{{- end -}}
{{- end -}}

{{/* Labels of the pod of `helm test`, which the Service, the policy and the budget don't select. */}}
{{- define "echelon.testLabels" -}}
app.kubernetes.io/name: {{ include "echelon.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
