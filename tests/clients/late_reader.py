"""Writes many small batches from one thread and reads the answers only at the end, as a naive client does."""

import argparse
import json

import pyarrow as pa
import pyarrow.flight as flight

parser = argparse.ArgumentParser()
parser.add_argument("--flight", required=True)
parser.add_argument("domain")
parser.add_argument("ingestor")
parser.add_argument("batches", type=int)
options = parser.parse_args()

client = flight.connect(f"grpc://{options.flight}")
schema = pa.schema([("id", pa.int64()), ("origin", pa.string())])
descriptor = flight.FlightDescriptor.for_path(options.domain, "ingestor", options.ingestor)
writer, reader = client.do_put(descriptor, schema)
for n in range(options.batches):
    writer.write_batch(pa.record_batch([pa.array([n], pa.int64()), pa.array(["ATL"])], schema=schema))
writer.done_writing()

answered = 0
while True:
    buffer = reader.read()
    if buffer is None:
        break
    answer = json.loads(buffer.to_pybytes())["answer"]
    assert answer["status"] == "DONE", answer
    answered += int(answer["last"]) - int(answer["first"]) + 1
writer.close()
assert answered == options.batches, f"{answered} of {options.batches} batches are answered"
print(f"{answered} DONE")
