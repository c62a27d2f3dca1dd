#!/bin/sh
# Builds the image of the Dockerfile without a Docker engine, and shows that it runs.
#
#   e2e/image.sh [--twice]     --twice: build it again from nothing and compare
#
# Needs root, buildah, and a debian:12-slim that can be pulled or debootstrap to make one (apt-get install buildah
# debootstrap). Leaves build/image/echelon.tar (docker-archive: docker load, kind load image-archive, ctr import).
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${ECHELON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/echelon}/image
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}
base=localhost/echelon-base:12
version=$(sed -n 's/^project(echelon VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
commit=${COMMIT:-$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)}
image=localhost/echelon:$version
twice=no
case ${1:-} in
    '') ;;
    --twice) twice=yes ;;
    *) echo "usage: e2e/image.sh [--twice]" >&2; exit 2 ;;
esac

complain() { echo "image.sh: $*" >&2; exit 1; }
[ -n "$version" ] || complain "CMakeLists.txt names no version"
[ "$(id -u)" -eq 0 ] || complain "needs root (a chroot is built in)"
command -v buildah >/dev/null || complain "needs buildah: apt-get install buildah"

mkdir -p "$cache" "$here/build/image"
work=$(mktemp -d "$cache/work.XXXXXX")
container=
cleanup() {
    [ -z "$container" ] || store rm "$container" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# A store of our own: nothing of the machine's images is touched.
store() { buildah --root "$cache/storage-$driver" --runroot "$cache/run-$driver" --storage-driver "$driver" "$@"; }
driver=overlay
store info >/dev/null 2>&1 || driver=vfs  # Slower, works everywhere.

# Debian's minimal system with its security updates, as debian:12-slim has them.
make_base() {
    command -v debootstrap >/dev/null || complain "no base image can be pulled; to make one: apt-get install debootstrap"
    debootstrap --variant=minbase bookworm "$work/base" "$mirror/debian" >"$work/debootstrap.log" 2>&1 ||
        { tail -n 20 "$work/debootstrap.log" >&2; complain "debootstrap failed"; }
    {
        echo "deb $mirror/debian bookworm main"
        echo "deb $mirror/debian bookworm-updates main"
        echo "deb $mirror/debian-security bookworm-security main"
    } >"$work/base/etc/apt/sources.list"
    rm -rf "$work/base/var/cache/apt/archives" "$work/base/var/lib/apt/lists" "$work/base/usr/share/doc" \
        "$work/base/usr/share/locale" "$work/base/var/log"
    mkdir -p "$work/base/var/cache/apt/archives/partial" "$work/base/var/lib/apt/lists/partial" "$work/base/var/log"
    container=$(store from scratch)
    store add --quiet "$container" "$work/base" / >/dev/null
    store commit --quiet "$container" "$base" >/dev/null
    store rm "$container" >/dev/null
    container=
    rm -rf "$work/base"
}

# build TAG ARGUMENTS...
build() {
    tag=$1
    shift
    store bud --layers --isolation chroot --timestamp 0 --build-arg "BASE=$base" --build-arg "COMMIT=$commit" --tag "$tag" "$@" \
        --file "$here/Dockerfile" "$here" >"$work/build.log" 2>&1 ||
        { tail -n 40 "$work/build.log" >&2; complain "the build of $tag failed"; }
}

contents() { store inspect --type image --format '{{.FromImageDigest}}' "$1"; }

store inspect --type image "$base" >/dev/null 2>&1 ||
    { store pull --quiet docker.io/library/debian:12-slim >/dev/null 2>&1 &&
        store tag docker.io/library/debian:12-slim "$base"; } || make_base

build "$image"
container=$(store from --pull-never "$image")
said=$(store run --isolation chroot "$container" -- /usr/bin/echelon version) || complain "echelon does not run in $image"
case $said in
    "echelon $version "*) ;;
    *) complain "echelon version says \"$said\", expected \"echelon $version (...)\"" ;;
esac
root=$(store mount "$container")
[ ! -e "$root/bin/sh" ] && [ ! -e "$root/usr/bin/sh" ] || complain "there is a shell in $image"
bytes=$(du --summarize --bytes "$root" | cut -f1)
store umount "$container" >/dev/null
user=$(store inspect --type image --format '{{.OCIv1.Config.User}}' "$image")
[ "$user" = 65532:65532 ] || complain "$image runs as \"$user\", expected 65532:65532"

if [ "$twice" = yes ]; then
    build "$image-again" --no-cache
    [ "$(contents "$image")" = "$(contents "$image-again")" ] || complain "two builds of $image differ"
    echo "two builds are the same: $(contents "$image")"
fi

rm -f "$here/build/image/echelon.tar"
store push --quiet "$image" "docker-archive:$here/build/image/echelon.tar:$image" >/dev/null
echo "$image: $said, $((bytes / 1024 / 1024)) MiB, user $user, $(contents "$image")"
