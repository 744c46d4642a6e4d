# A static program in an empty image. BUILDER can name another image that has a
# Go toolchain at the same place.
ARG BUILDER=docker.io/library/golang:1.26

FROM ${BUILDER} AS build
WORKDIR /src
COPY . .
ENV CGO_ENABLED=0
# Exec form: the builder needs no shell.
RUN ["/usr/local/go/bin/go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", "/out/bin/", "./cmd/policyd", "./cmd/policyd-hook"]

FROM scratch
COPY --from=build /out/bin/policyd /out/bin/policyd-hook /usr/bin/
# The authorities of HTTPS services: bundles, OTLP, forwarded logs, and a database with
# sslmode=verify-full. SSL_CERT_FILE names others.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
# The only directory that is written. An empty one of the right owner, so that
# a named volume takes the owner over.
COPY --chown=65532:65532 --chmod=0700 deploy/state /var/lib/policyd
# Where a volume for the socket is mounted, of the same owner; its group gets in.
COPY --chown=65532:65532 --chmod=0750 deploy/state /run/policyd
USER 65532:65532
VOLUME /var/lib/policyd
# A directory below the volume: what a volume is mounted with is not ours to say.
ENV POLICYD_STATE_DIR=/var/lib/policyd/state HOME=/var/lib/policyd
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/bin/policyd", "doctor", "--health"]
ENTRYPOINT ["/usr/bin/policyd"]
CMD ["serve"]
