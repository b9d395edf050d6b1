# An image with Heddle, built from this folder: docker build -t heddle . && docker run --rm -v "$PWD:/work" heddle doctor
# The tests do not build it. It runs the same steps as docs/install.md, on the system that those are tested on.
FROM debian:12 AS build
COPY . /src
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends make && make setup && apt-get install -y --no-install-recommends dpkg-dev \
    && make package

FROM debian:12
COPY --from=build /src/build/packages/*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends g++ /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["heddle"]
