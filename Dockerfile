# The image: the program, the libraries that it is linked to, nothing else. No shell, no package manager, user 65532.
#
# Give a base by digest to pin it:  --build-arg BASE=docker.io/library/debian@sha256:...
# Same base, same package archive, same source and COMMIT: same image (with --timestamp 0, as e2e/image.sh builds it).
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
 && mkdir -p /image/usr/bin /image/tmp \
 && chmod 1777 /image/tmp \
 && install --strip /build/echelon /image/usr/bin/echelon \
 && ldd /build/echelon > /linked \
 && ! grep 'not found' /linked \
 && grep -o '/[^ ]*\.so[^ ]*' /linked | sort -u | xargs cp --parents --dereference --target-directory=/image \
 && cp --parents /usr/share/common-licenses/Apache-2.0 /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
# Extender and bind (9300, 9301) stay on loopback; this one is for probes and metrics.
EXPOSE 9302
ENTRYPOINT ["/usr/bin/echelon"]
CMD ["serve", "--config", "/etc/echelon/echelon.yaml"]
