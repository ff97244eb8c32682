{{repeat elements}}           05 {{name 5 8}} PIC X.
{{end}}