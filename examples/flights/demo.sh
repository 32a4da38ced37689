#!/usr/bin/env bash
# Real flights in, NSPL in the middle, applications that acknowledge on the far side; checks that the counts add up.
# Usage: examples/flights/demo.sh [PATH OF nervix]
# Exit codes: 0 everything adds up, 1 something does not, 2 something did not run.
set -euo pipefail

nervix=${1:-nervix}
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
processes=()

# Ends what is still running, by its id, whatever happens.
finish() {
  local process
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT

fail() {
  echo "demo: $1" >&2
  echo "--- the server's log" >&2
  tail -n 40 "$work/server.log" >&2 || true
  exit "${2:-1}"
}

# Runs a command again and again until it succeeds, for at most 30 seconds.
until_true() {
  local what=$1 end=$((SECONDS + 30))
  shift
  until "$@"; do
    kill -0 "$server" 2>/dev/null || fail "the server ended while waiting until $what" 2
    ((SECONDS < end)) || fail "it took too long until $what" 2
    sleep 0.05
  done
}

address() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$work/ports.json"; }

# One page of the server's HTTP, without any tool but bash.
page() {
  local host=${http%:*} port=${http##*:}
  exec 3<>"/dev/tcp/$host/$port"
  printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$1" "$http" >&3
  cat <&3
  exec 3>&-
}

# The sum of the metric lines that match all given patterns.
metric() {
  local lines
  lines=$(page /metrics)
  for pattern in "$@"; do lines=$(grep -F -- "$pattern" <<<"$lines" || true); done
  awk '{ sum += $NF } END { print sum + 0 }' <<<"$lines"
}

consumers_are() { (($(metric nervix_client_consumers delayed) == 2)); }

consume() {
  local name=$1
  shift
  "$nervix" consume "$@" --format json --output "$work/$name.ndjson" 2>"$work/$name.log" &
  processes+=($!)
}

rows() { wc -l <"$work/$1.ndjson"; }

echo "Starting a server that keeps nothing, on free ports ..."
"$nervix" dev "$folder/flights.nspl" --ephemeral --ports-file "$work/ports.json" \
  --control-addr 127.0.0.1:0 --flight-addr 127.0.0.1:0 --http-addr 127.0.0.1:0 2>"$work/server.log" &
server=$!
processes+=("$server")
until_true "the server serves" test -s "$work/ports.json"
http=$(address http)
NERVIX_SERVER=$(address control)
export NERVIX_SERVER
echo "  control API $NERVIX_SERVER, Arrow Flight $(address flight), metrics http://$http/metrics"

echo "Two applications compete for the delayed flights; a third takes what they reject ..."
consume first travel.delayed
consume second travel.delayed --answer ack,ack,retry,ack,reject=no-such-aircraft
consume complaints travel.complaints
until_true "both consumers are there" consumers_are

echo "Sending $(wc -l <"$folder/flights.ndjson") flights; the sender is answered when the last one is settled ..."
"$nervix" send travel.flights_in "$folder/flights.ndjson" --batch-rows 500 2>"$work/send.log" ||
  fail "the sending failed: $(cat "$work/send.log")"

# Consumers end in order at SIGTERM: what they printed is acknowledged by then.
for process in "${processes[@]:1}"; do kill -TERM "$process"; done
for process in "${processes[@]:1}"; do wait "$process" || fail "a consumer failed: $(cat "$work"/*.log)"; done
processes=("$server")
kill -TERM "$server"
wait "$server" || fail "the server did not drain"
processes=()

sent=$(wc -l <"$folder/flights.ndjson")
delayed=$(awk -F '"delay":' '{ split($2, rest, ","); if (rest[1] >= 15) count++ } END { print count + 0 }' "$folder/flights.ndjson")
first=$(rows first) second=$(rows second) rejected=$(rows complaints)
acknowledged=$((first + second))
answered=$(sed -n 's/^\([0-9]*\) rows in .* done.*/\1/p' "$work/send.log")

echo
echo "  sent to flights_in        $sent"
echo "  answered DONE             $answered"
echo "  delayed by 15 min or more $delayed"
echo "  acknowledged              $acknowledged   ($first by the first consumer, $second by the second)"
echo "  rejected                  $rejected   (delivered to complaints, with reason and reference)"
echo "  the second consumer says: $(tail -n 1 "$work/second.log")"
echo
echo "One of the delayed flights:  $(head -n 1 "$work/first.ndjson")"
echo "One of the rejected flights: $(head -n 1 "$work/complaints.ndjson")"
echo

((answered == sent)) || fail "$sent flights were sent and $answered answered DONE"
((acknowledged + rejected == delayed)) || fail "$acknowledged acknowledged and $rejected rejected are not the $delayed delayed flights"
((first > 0 && second > 0)) || fail "one of the consumers got nothing"
((rejected > 0)) || fail "nothing was rejected, though the second consumer rejects"
! grep -v '"code":"external","operation":"publish","reason":"no-such-aircraft"' "$work/complaints.ndjson" >&2 ||
  fail "a rejected flight lacks its reason"
echo "The counts add up: every delayed flight was acknowledged or rejected, and every flight answered."
