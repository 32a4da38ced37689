#!/usr/bin/env bash
# install.sh FOLDER: a real Apache Kafka in FOLDER: its jars, the formatted storage of the nodes of a cluster (1 is broker and
# controller, 2 and 3 join it), and an archive of its loaded classes that halves a start. Needs Java and Maven. Safe to
# repeat; starts one broker for a moment, on free ports, and stops it.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
FOLDER=$1
JARS=$FOLDER/jars
# Any sixteen bytes; every cluster of the tests is this one.
CLUSTER=bmVydml4LXRlc3RzLTAwMQ
NODES=3

if cmp -s "$HERE/pom.xml" "$FOLDER/.installed" && cmp -s "$HERE/install.sh" "$FOLDER/.installed-by"; then exit 0; fi
echo "installing: Apache Kafka"
rm -rf "$FOLDER"
mkdir -p "$JARS"
mvn -B -q -f "$HERE/pom.xml" -DoutputDirectory="$JARS" -DincludeScope=runtime \
  dependency:copy-dependencies >"$FOLDER/mvn.log" 2>&1 || { tail -20 "$FOLDER/mvn.log" >&2; exit 1; }
cp "$HERE/log4j2.properties" "$FOLDER/"

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
broker=$(free_port)
controller=$(free_port)
java=(java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile="$FOLDER/log4j2.properties" -cp "$JARS/*")

for ((node = 1; node <= NODES; node++)); do
  mkdir -p "$FOLDER/node$node"
  roles=broker
  listeners=PLAINTEXT://127.0.0.1:$broker
  if ((node == 1)); then roles+=,controller; listeners+=,CONTROLLER://127.0.0.1:$controller; fi
  cat >"$FOLDER/node$node.properties" <<PROPERTIES
node.id=$node
process.roles=$roles
controller.quorum.voters=1@127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=$listeners
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$FOLDER/node$node
PROPERTIES
  "${java[@]}" kafka.tools.StorageTool format -t "$CLUSTER" -c "$FOLDER/node$node.properties" >"$FOLDER/format.log" 2>&1 ||
    { tail -20 "$FOLDER/format.log" >&2; exit 1; }
done

# The archive is written when the broker ends. It runs on a copy, so that the storage stays as it was formatted.
cp -r "$FOLDER/node1" "$FOLDER/warm"
sed "s|^log.dirs=.*|log.dirs=$FOLDER/warm|" "$FOLDER/node1.properties" >"$FOLDER/warm.properties"
"${java[@]}" -XX:ArchiveClassesAtExit="$FOLDER/classes.jsa" kafka.Kafka "$FOLDER/warm.properties" >"$FOLDER/warm.log" 2>&1 &
pid=$!
trap 'kill -9 "$pid" 2>/dev/null || true' EXIT
for ((tenth = 0; tenth < 600; tenth++)); do
  if grep -q 'Kafka Server started' "$FOLDER/warm.log"; then break; fi
  kill -0 "$pid" 2>/dev/null || { tail -20 "$FOLDER/warm.log" >&2; exit 1; }
  sleep 0.1
done
kill -TERM "$pid"
wait "$pid" || true
trap - EXIT
[ -s "$FOLDER/classes.jsa" ] || { tail -20 "$FOLDER/warm.log" >&2; exit 1; }
rm -rf "$FOLDER/warm" "$FOLDER/warm.properties" "$FOLDER"/node?.properties
cp "$HERE/install.sh" "$FOLDER/.installed-by"
cp "$HERE/pom.xml" "$FOLDER/.installed"
