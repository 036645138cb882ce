{{- define "sluice.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* Labels of every object; those of a role's pods are below. */}}
{{- define "sluice.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* Call with (dict "root" $ "role" "api"). */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{/* During an upgrade one process more of each role runs: both Deployments have a maxSurge of 1. */}}
{{- define "sluice.environment" -}}
- { name: DATABASE_URL_FILE, value: /run/secrets/sluice/database-url }
- { name: SLUICE_ENCRYPTION_KEYS_FILE, value: /run/secrets/sluice/encryption-keys }
{{- if .Values.sluice.mail }}
- { name: SMTP_URL_FILE, value: /run/secrets/sluice/smtp-url }
{{- end }}
- { name: TEMPORAL_ADDRESS, value: {{ .Values.sluice.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.sluice.temporal.namespace | quote }} }
{{- with .Values.sluice.temporal.uiUrl }}
- { name: TEMPORAL_UI_URL, value: {{ . | quote }} }
{{- end }}
- { name: SLUICE_PUBLIC_URL, value: {{ .Values.sluice.publicUrl | quote }} }
- { name: SLUICE_HOST, value: '0.0.0.0' }
- { name: SLUICE_PORT, value: '8000' }
- { name: SLUICE_METRICS_HOST, value: '0.0.0.0' }
- { name: SLUICE_METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
- { name: SLUICE_WORKER_METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
- { name: SLUICE_API_PROCESSES, value: {{ add .Values.api.replicas 1 | quote }} }
- { name: SLUICE_WORKER_PROCESSES, value: {{ add .Values.worker.replicas 1 | quote }} }
- { name: SLUICE_WORKER_CONCURRENCY, value: {{ .Values.worker.concurrency | quote }} }
{{- with .Values.sluice.traces.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- if .Values.sluice.traces.headers }}
- { name: OTEL_EXPORTER_OTLP_HEADERS_FILE, value: /run/secrets/sluice/otlp-headers }
{{- end }}
- { name: LOG_LEVEL, value: {{ .Values.sluice.logLevel | quote }} }
{{- range $name, $value := .Values.sluice.environment }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{/* What the pods of every role have in common, without the container's own. */}}
{{- define "sluice.pod" -}}
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
volumes:
  - name: secrets
    secret:
      secretName: {{ .Values.existingSecret }}
      # 0440 in octal
      defaultMode: 288
  - name: tmp
    emptyDir: {}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Call with (dict "root" $ "role" "api"). */}}
{{- define "sluice.container" -}}
name: {{ .role }}
image: {{ printf "%s:%s" .root.Values.image.repository (default .root.Chart.AppVersion .root.Values.image.tag) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: [{{ .role }}]
env:
  {{- include "sluice.environment" .root | nindent 2 }}
resources: {{ toYaml (index .root.Values .role).resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/sluice, readOnly: true }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "sluice.scrape" -}}
{{- if .Values.metrics.annotations -}}
prometheus.io/scrape: 'true'
prometheus.io/port: {{ .Values.metrics.port | quote }}
prometheus.io/path: /metrics
{{- end }}
{{- end }}
