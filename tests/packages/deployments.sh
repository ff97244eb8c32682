#!/usr/bin/env bash
# Checks the chart by `helm lint` and against the schemas of Kubernetes, the compose file and the bills of materials against
# theirs. Helm is built from the Go module proxy where it is not installed; the schemas come in Python packages.

set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/../.."

readonly target=${CARGO_TARGET_DIR:-target} here=tests/packages
readonly packages=$target/packages helm_version=v3.22.0 kubernetes=1.36
tools=$(realpath "$target")/packages-tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "packages-test: FAILED: $*" >&2
    exit 1
}

helm=$(command -v helm || true)
if [[ -z $helm ]]; then
    helm=$tools/helm
    if [[ ! -x $helm ]]; then
        command -v go >/dev/null || fail 'helm is missing, and go to build it: apt-get install golang-go, or install Helm 3'
        echo "packages-test: building helm $helm_version"
        GOBIN=$tools go install "helm.sh/helm/v3/cmd/helm@$helm_version" || fail 'helm cannot be built'
    fi
fi
if [[ ! -x $tools/venv/bin/check-jsonschema ]]; then
    python3 -m venv "$tools/venv" || fail 'a Python environment cannot be made: apt-get install python3-venv'
    "$tools/venv/bin/pip" install --quiet --disable-pip-version-check -r $here/requirements.txt || fail 'pip install'
fi

chart=$(ls "$packages"/gantry-chart-*.tgz)
"$helm" lint --strict --quiet "$chart" || fail 'helm lint'
render() { # name, more options
    local name=$1
    shift
    "$helm" template shop "$chart" --kube-version $kubernetes "$@" >"$work/$name.yaml" || fail "helm template ($name)"
    "$tools/venv/bin/kubernetes-validate" --strict -k $kubernetes "$work/$name.yaml" >"$work/said" || fail "$name: $(<"$work/said")"
}
render plain
render all --set persistence.enabled=true --set ingress.enabled=true --set ingress.className=nginx --set ingress.tlsSecret=shop \
    --set podDisruptionBudget.enabled=true --set 'secrets={keys}' --set-file 'files.services/shop\.toml=tests/packages/ORDER.cpy'
grep -q 'kind: StatefulSet' "$work/all.yaml" || fail 'no StatefulSet with persistence'
grep -q 'path: services/shop.toml' "$work/all.yaml" || fail 'a file in a folder is not mounted as one'
for kind in startupProbe readinessProbe livenessProbe limits volumeMounts; do
    grep -q "$kind:" "$work/plain.yaml" || fail "the chart has no $kind"
done
# What must not be rendered is not.
! "$helm" template shop "$chart" --set persistence.enabled=true --set replicas=2 >/dev/null 2>&1 || fail 'two pods with one store'
! "$helm" template shop "$chart" --set replica=2 >/dev/null 2>&1 || fail 'an unknown value is taken'
echo "ok  the chart: helm lint --strict, schemas of Kubernetes $kubernetes"

"$tools/venv/bin/check-jsonschema" --builtin-schema vendor.compose-spec "$packages/compose.yaml" >"$work/said" ||
    fail "compose.yaml: $(<"$work/said")"
echo 'ok  compose.yaml: the schema of Compose'

for bill in "$packages"/*.cdx.json; do
    "$tools/venv/bin/python" - "$bill" <<'END' || fail "$bill"
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
found = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(str(found)[:2000] if found else 0)
END
    echo "ok  ${bill##*/}: the schema of CycloneDX 1.5"
done
