"""Consumes and acknowledges until a number of distinct rows has come."""

import argparse
import json

import pyarrow.flight as flight

parser = argparse.ArgumentParser()
parser.add_argument("--flight", required=True)
parser.add_argument("domain")
parser.add_argument("emitter")
parser.add_argument("rows", type=int)
options = parser.parse_args()

client = flight.connect(f"grpc://{options.flight}")
descriptor = flight.FlightDescriptor.for_path(options.domain, "emitter", options.emitter)
writer, reader = client.do_exchange(descriptor)


def say(message):
    writer.write_metadata(json.dumps(message).encode())


say({"credit": {"batches": 4_000_000_000}})
seen = set()
last = None
while len(seen) < options.rows or last is not None:
    chunk = reader.read_chunk()
    message = json.loads(chunk.app_metadata.to_pybytes())
    if "delivery" in message:
        seen.update(chunk.data.column("id").to_pylist())
        last = message["delivery"]["ref"]
        say({"ack": {"refs": [last]}})
    elif message.get("outcome", {}).get("ref") == last and len(seen) >= options.rows:
        last = None
print(f"{len(seen)} rows")
