#!/bin/sh
# Lays out what is in the image, from a built program: the program, the libraries that it is linked to, licences, and a list of
# all that (SPDX). The Dockerfile and e2e/image.sh use it alike.
#
#   image/root.sh PROGRAM FOLDER VERSION COMMIT
#
# Needs Debian: dpkg says which package a library is of. The same input gives the same bytes.
set -eu

program=$1 folder=$2 version=$3 commit=$4
list=$folder/usr/share/sbom/echelon.spdx.json

mkdir -p "$folder/usr/bin" "$folder/tmp" "$folder/usr/share/sbom"
chmod 1777 "$folder/tmp"
install --strip "$program" "$folder/usr/bin/echelon"
linked=$(ldd "$program")
case $linked in *'not found'*)
    echo "root.sh: $program lacks a library: $linked" >&2
    exit 1
    ;;
esac
libraries=$(echo "$linked" | grep -o '/[^ ]*\.so[^ ]*' | sort -u)
# Without following /lib, which is a link: the loader is looked for under the name that the program has for it.
for library in $libraries; do
    cp --parents --dereference --target-directory="$folder" "$library"
done

# name version of the packages that libraries belong to, and of those that are compiled in.
packages_of_libraries() {
    for library in $libraries; do
        real=$(readlink -f "$library")
        owner=$(dpkg -S "$real" 2>/dev/null || dpkg -S "/usr$real" 2>/dev/null || dpkg -S "${real#/usr}")
        echo "${owner%%:*}"
    done | sort -u
}
compiled_in="libcli11-dev nlohmann-json3-dev"

for package in $(packages_of_libraries) $compiled_in; do
    [ ! -f "/usr/share/doc/$package/copyright" ] || cp --parents --dereference --target-directory="$folder" "/usr/share/doc/$package/copyright"
done
cp --parents --dereference --target-directory="$folder" /usr/share/common-licenses/Apache-2.0
# Which known faults of these packages can't be reached here, and why.
cp "$(dirname "$0")/echelon.openvex.json" "$folder/usr/share/sbom/"

# as_spdx NAME LICENCE: one package of Debian.
as_spdx() {
    found=$(dpkg-query -W -f '${Version} ${Architecture} ${source:Package}' "$1")
    set -- "$1" $found
    cat <<JSON
    {
      "SPDXID": "SPDXRef-$1",
      "name": "$1",
      "versionInfo": "$2",
      "supplier": "Organization: Debian",
      "sourceInfo": "source package $4",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "licenseConcluded": "NOASSERTION",
      "licenseDeclared": "NOASSERTION",
      "copyrightText": "NOASSERTION",
      "externalRefs": [
        {
          "referenceCategory": "PACKAGE-MANAGER",
          "referenceType": "purl",
          "referenceLocator": "pkg:deb/debian/$1@$(printf %s "$2" | sed 's/+/%2B/g; s/:/%3A/g')?arch=$3&distro=debian-12"
        }
      ]
    },
JSON
}

relation() { printf '    {"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' "$1" "$2" "$3"; }

sum=$(sha256sum "$folder/usr/bin/echelon" | cut -d' ' -f1)
{
    cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "echelon-$version",
  "documentNamespace": "https://echelon.sh/spdx/echelon-$version-$sum",
  "creationInfo": {
    "created": "$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)",
    "creators": ["Tool: echelon-image-root.sh"]
  },
  "packages": [
JSON
    for package in $(packages_of_libraries) $compiled_in; do as_spdx "$package"; done
    cat <<JSON
    {
      "SPDXID": "SPDXRef-echelon",
      "name": "echelon",
      "versionInfo": "$version",
      "sourceInfo": "commit $commit",
      "downloadLocation": "NOASSERTION",
      "filesAnalyzed": false,
      "checksums": [{"algorithm": "SHA256", "checksumValue": "$sum"}],
      "licenseConcluded": "Apache-2.0",
      "licenseDeclared": "Apache-2.0",
      "copyrightText": "NOASSERTION"
    }
  ],
  "relationships": [
JSON
    for package in $(packages_of_libraries); do
        relation echelon DYNAMIC_LINK "$package"
        echo ,
    done
    for package in $compiled_in; do
        relation echelon STATIC_LINK "$package"
        echo ,
    done
    relation DOCUMENT DESCRIBES echelon
    printf '\n  ]\n}\n'
} >"$list"
