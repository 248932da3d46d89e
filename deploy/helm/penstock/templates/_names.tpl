{{- define "penstock.name" -}}
{{ printf "%s-coordinator" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "penstock.postgresql" -}}
{{ printf "%s-penstock-postgresql" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "penstock.applications" -}}
{{ .Values.applications.namespace | default .Release.Namespace }}
{{- end }}

{{- define "penstock.selector" -}}
app.kubernetes.io/name: penstock
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: coordinator
{{- end }}

{{- define "penstock.postgresql.selector" -}}
app.kubernetes.io/name: penstock
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: postgresql
{{- end }}

{{- define "penstock.labels" -}}
{{ include "penstock.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "penstock.scheme" -}}
{{ if .Values.tls.secret }}https{{ else }}http{{ end }}
{{- end }}

{{- define "penstock.probe" -}}
{{- if .Values.tls.agentsCa.secret -}}
tcpSocket:  # the kubelet has no certificate to show
  port: agents
{{- else -}}
httpGet:
  path: /health
  port: agents
  {{- if .Values.tls.secret }}
  scheme: HTTPS
  {{- end }}
{{- end }}
{{- end }}
