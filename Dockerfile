# The image: the program, the libraries that it is linked to, nothing else. No shell, no package manager, user 65532.
#
# What is in it is laid out by image/root.sh, which also lists it: /usr/share/sbom/echelon.spdx.json.
#
# Give a base by digest to pin it:  --build-arg BASE=docker.io/library/debian@sha256:...
# Same base, same package archive, same source and COMMIT: same image (with --timestamp 0, as `e2e/image.sh --from-source` builds it).
ARG BASE=docker.io/library/debian:12-slim

FROM ${BASE} AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get upgrade --yes \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        g++ cmake ninja-build pkg-config \
        libcli11-dev libcpp-httplib-dev libfmt-dev libre2-dev libsimdjson-dev libspdlog-dev libssl-dev libyaml-cpp-dev \
        nlohmann-json3-dev prometheus-cpp-dev zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# .dockerignore names what this is.
COPY . .
# What `echelon version` reports; the history itself is not part of the build.
ARG COMMIT=unknown
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG -ffile-prefix-map=/src=." \
        -DECHELON_TESTS=OFF "-DECHELON_COMMIT=${COMMIT}" \
 && ninja -C /build echelon \
 && sh image/root.sh /build/echelon /image "$(sed -n 's/^project(echelon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)" "${COMMIT}"

FROM scratch
COPY --from=build /image /
USER 65532:65532
# Probes and metrics; extender and bind, which are on loopback unless callers show certificates.
EXPOSE 9302 9300 9301
ENTRYPOINT ["/usr/bin/echelon"]
CMD ["serve", "--config", "/etc/echelon/echelon.yaml"]
