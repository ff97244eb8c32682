{{repeat elements}}           05 {{name length length}} PIC X({{data}}).
{{end}}