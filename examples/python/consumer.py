"""Consumes what an emitter delivers, with stock pyarrow: no SDK, no generated code, JSON metadata.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python consumer.py --flight 127.0.0.1:7461 travel delayed --rows 85

It grants credit, prints each delivered batch, acknowledges it, and ends after so many rows: 85 of the 100 that the
command in writer.py makes up are delayed by the 15 minutes that `delayed` asks for. Consumers of one emitter compete:
start two, and the rows are divided among them. A batch that is not acknowledged within ACK TIMEOUT, or whose consumer
has gone, is delivered again.
"""

import argparse
import json
import sys

import pyarrow.flight as flight

CREDIT = 4


def say(writer, message):
    """Sends one message of the client protocol as JSON."""
    writer.write_metadata(json.dumps(message).encode())


def consume(client, descriptor, rows_wanted):
    """Acknowledges batches until `rows_wanted` rows are confirmed; returns how many were."""
    writer, reader = client.do_exchange(descriptor)
    # Credit is how many batches the server may send. Each delivery uses one; we give it back ourselves.
    say(writer, {"credit": {"batches": CREDIT}})
    open_rows, confirmed = {}, 0
    while confirmed < rows_wanted:
        chunk = reader.read_chunk()
        message = json.loads(chunk.app_metadata.to_pybytes()) if chunk.app_metadata else {}
        if delivery := message.get("delivery"):
            print(f"-- {delivery['rows']} rows from {delivery['source']}, attempt {delivery['attempt']}")
            for row in chunk.data.to_pylist():
                print(row)
            open_rows[delivery["ref"]] = delivery["rows"]
            # What it printed is processed. {"retry": {"refs": [..]}} would give it back,
            # {"reject": {"refs": [..], "reason": "bad-customer"}} would hand it to ON MESSAGE ERROR.
            say(writer, {"ack": {"refs": [delivery["ref"]]}})
            say(writer, {"credit": {"batches": 1}})
        elif outcome := message.get("outcome"):
            rows = open_rows.pop(outcome["ref"], 0)
            if outcome["result"] == "CONFIRMED":
                confirmed += rows
        elif revoked := message.get("revoked"):
            print(f"-- {revoked['ref']} was taken back: {revoked['reason']}", file=sys.stderr)
            open_rows.pop(revoked["ref"], None)
    writer.done_writing()
    # The server handles what was sent and ends the stream; what it delivered meanwhile goes to somebody else.
    try:
        while True:
            reader.read_chunk()
    except StopIteration:
        pass
    writer.close()
    return confirmed


def main():
    arguments = argparse.ArgumentParser(description="Prints and acknowledges what an emitter delivers.")
    arguments.add_argument("--flight", default="127.0.0.1:7461", metavar="HOST:PORT")
    arguments.add_argument("domain")
    arguments.add_argument("emitter")
    arguments.add_argument("--rows", type=int, default=100, help="end after so many acknowledged rows")
    options = arguments.parse_args()

    client = flight.connect(f"grpc://{options.flight}")
    descriptor = flight.FlightDescriptor.for_path(options.domain, "emitter", options.emitter)
    confirmed = consume(client, descriptor, options.rows)
    print(f"{confirmed} rows acknowledged")
    return 0


if __name__ == "__main__":
    sys.exit(main())
