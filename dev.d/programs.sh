# Builds echelon and the control plane of the tests. The cache keeps the control plane by version.

default_kubernetes=1.37.0
kubernetes=$default_kubernetes
# All checkouts share the compiler's cache.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
plane=$cache/control-plane/v$kubernetes

# The programs of demo and cluster.
need_programs() {
    say_first_run
    need_packages
    need_go
    need_plane
    build_preset release echelon
}

# The programs of the tests.
need_test_programs() {
    need_programs
    install_missing $test_packages
    need_controllers
}

say_first_run() {
    [ -x "$plane/kube-apiserver" ] && [ -x build/release/echelon ] && return 0
    echo "The first run installs Debian packages, and builds echelon and a control plane: 10 to 20 minutes on two cores."
}

# build_preset PRESET [TARGET]: everything, or one program.
build_preset() {
    step "configure $1" cmake --preset "$1"
    step "build $1${2:+, $2}" cmake --build --preset "$1" ${2:+--target "$2"}
}

need_plane() {
    need_tool etcd go.etcd.io/etcd/server/v3
    need_tool kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
    need_tool kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler
    need_tool kubectl k8s.io/kubernetes/cmd/kubectl
}

need_controllers() {
    need_tool kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
    need_tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform /kubeconform
    need_manager lws sigs.k8s.io/lws /cmd config/crd/bases config/webhook
    need_manager jobset sigs.k8s.io/jobset '' config/components/crd/bases config/components/webhook
}

# need_tool NAME PACKAGE [FOLDER]: one of the tools of e2e/go.mod, or of the module in that folder below it.
need_tool() {
    [ -x "$plane/$1" ] && return 0
    mkdir -p "$plane"
    step "build $1" build_tool "$1" "$2" "${3:-}"
}

build_tool() {
    version=k8s.io/component-base/version
    minor=${kubernetes#1.}
    folder=$root/e2e${3:-}
    flags=$GOFLAGS
    if [ "$kubernetes" != "$default_kubernetes" ]; then
        folder=$(version_module)
        flags="$GOFLAGS -mod=mod"
    fi
    (cd "$folder" && GOFLAGS=$flags "$go" build -o "$plane/$1.new" \
        -ldflags "-s -w -X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" "$2")
    mv "$plane/$1.new" "$plane/$1"
}

# in_e2e VERB ...: runs go in the module of the end-to-end tests.
in_e2e() { (cd "$root/e2e" && "$go" "$@"); }

# need_koordinator: Koordinator's scheduler, which no test needs.
need_koordinator() { need_manager koordinator github.com/koordinator-sh/koordinator /cmd/koord-scheduler config/crd/bases '' /koordinator; }

# need_manager NAME MODULE PACKAGE CRDS WEBHOOKS [FOLDER]: a controller of e2e/controllers/go.mod, or of the module in that
# folder below e2e, with its CRDs and webhooks; '': it has no webhooks.
need_manager() {
    version=$(sed -n "s|^[[:space:]]*$2 \(v[^ ]*\).*|\1|p" "$root/e2e${6:-/controllers}/go.mod")
    [ -x "$cache/controllers/$1-$version/manager" ] || step "build the controller of $1 $version" build_manager "$@"
}

build_manager() {
    folder=$cache/controllers/$1-$version
    rm -rf "$folder"
    mkdir -p "$folder/crds"
    (
        cd "$root/e2e${6:-/controllers}"
        "$go" mod download "$2"
        source=$("$go" list -m -f '{{.Dir}}' "$2")
        cp "$source/$4"/*.yaml "$folder/crds"
        [ -z "$5" ] || cp "$source/$5/manifests.yaml" "$folder/webhooks.yaml"
        chmod -R u+w "$folder"
        "$go" build -o "$folder/manager.new" -ldflags '-s -w' "$2$3"
    )
    mv "$folder/manager.new" "$folder/manager"
}
