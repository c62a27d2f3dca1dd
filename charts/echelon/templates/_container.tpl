{{/* The container of echelon: alone in a pod, or beside kube-scheduler. */}}
{{- define "echelon.container" -}}
- name: echelon
  {{- if eq .Values.mode "sidecar" }}
  restartPolicy: Always
  {{- end }}
  image: {{ include "echelon.image" . | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args:
  - serve
  - --config=/etc/echelon/echelon.yaml
  - --logging-format={{ .Values.logging.format }}
  {{- if .Values.logging.verbosity }}
  - -v
  - {{ int .Values.logging.verbosity | quote }}
  {{- end }}
  ports:
  {{- if eq .Values.mode "standalone" }}
  - name: extender
    containerPort: 9300
  - name: bind
    containerPort: 9301
  {{- end }}
  - name: admin
    containerPort: 9302
  {{- if .Values.webhook.enabled }}
  - name: webhook
    containerPort: 9303
  {{- end }}
  startupProbe:
    httpGet: {path: /startupz, port: admin}
    periodSeconds: 2
    failureThreshold: {{ div (add (int .Values.timeouts.startup) 1) 2 }}
  livenessProbe:
    httpGet: {path: /livez, port: admin}
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 3
  readinessProbe:
    httpGet: {path: /readyz, port: admin}
    periodSeconds: 5
    timeoutSeconds: 5
  resources:
    {{- toYaml .Values.resources | nindent 4 }}
  securityContext:
    {{- include "echelon.containerSecurityContext" . | nindent 4 }}
  volumeMounts:
  # The whole folder: a subPath would never see a changed file.
  - {name: configuration, mountPath: /etc/echelon, readOnly: true}
  {{- if eq .Values.mode "standalone" }}
  - {name: tls, mountPath: /etc/echelon-tls, readOnly: true}
  {{- end }}
  {{- if .Values.webhook.enabled }}
  - {name: webhook-tls, mountPath: /etc/echelon-webhook-tls, readOnly: true}
  {{- end }}
  {{- if .Values.topologyFiles.configMap }}
  - {name: topologies, mountPath: /etc/echelon-topologies, readOnly: true}
  {{- end }}
  - {name: temporary, mountPath: /tmp}
  {{- if .Values.recording.enabled }}
  - {name: recording, mountPath: /var/lib/echelon}
  {{- end }}
  - {name: api-access, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}
{{- end -}}
