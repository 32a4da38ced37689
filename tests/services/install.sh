#!/usr/bin/env bash
# Installs what the tests need besides Rust and a C compiler into NERVIX_TEST_ROOT: a real etcd, a real
# Postgres with a PgBouncer, grpcurl, pyarrow, the jars of the Java round trip, and the system's headers that librdkafka is built with. System packages are installed only where a program is missing. Safe to repeat.
set -euo pipefail
ROOT=${NERVIX_TEST_ROOT:-$HOME/.cache/nervix/services}
HERE=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$HERE/../.." && pwd)
mkdir -p "$ROOT"

missing=()
need() { command -v "$1" >/dev/null 2>&1 || missing+=("${@:2}"); }
need protoc protobuf-compiler libprotobuf-dev
[ -f /usr/include/google/protobuf/empty.proto ] || missing+=(libprotobuf-dev)
need python3 python3 python3-venv
python3 -c 'import ensurepip' >/dev/null 2>&1 || missing+=(python3-venv)
need g++ g++
need make make
need perl perl
need pkg-config pkg-config
[ -f /usr/include/openssl/ssl.h ] || missing+=(libssl-dev)
[ -f /usr/include/zlib.h ] || missing+=(zlib1g-dev)
need javac default-jdk-headless
need mvn maven
[ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
[ -n "$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null)" ] || missing+=(postgresql)
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  export DEBIAN_FRONTEND=noninteractive
  # Each test makes the servers that it needs; the package's own one would only take memory and a port.
  if [[ " ${missing[*]} " == *" postgresql "* ]] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    $sudo mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" | $sudo tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  $sudo apt-get update -q >"$ROOT/apt.log" 2>&1
  $sudo apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}" >>"$ROOT/apt.log" 2>&1 ||
    { tail -5 "$ROOT/apt.log" >&2; exit 1; }
fi

stamp=$ROOT/venv/.installed
if ! cmp -s "$HERE/requirements.txt" "$stamp"; then
  echo "installing: $(tr '\n' ' ' <"$HERE/requirements.txt")"
  python3 -m venv "$ROOT/venv"
  "$ROOT/venv/bin/pip" install -q --disable-pip-version-check -r "$HERE/requirements.txt"
  cp "$HERE/requirements.txt" "$stamp"
fi

stamp=$ROOT/java/.installed
if ! cmp -s "$TOP/examples/java/pom.xml" "$stamp"; then
  echo "installing: the jars of examples/java"
  mkdir -p "$ROOT/java"
  mvn -q -f "$TOP/examples/java/pom.xml" -DoutputDirectory="$ROOT/java/jars" \
    dependency:copy-dependencies >"$ROOT/java/mvn.log" 2>&1 || { tail -20 "$ROOT/java/mvn.log" >&2; exit 1; }
  cp "$TOP/examples/java/pom.xml" "$stamp"
fi

"$HERE/kafka/install.sh" "$ROOT/kafka"
