"""Writes rows into an ingestor with stock pyarrow: no SDK, no generated code, JSON metadata.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python writer.py --flight 127.0.0.1:7461 travel flights_in --rows 100

It waits until its rows are settled: have consumer.py run in another terminal, which acknowledges them.
The rows are made up by type, so that it fits any schema without nulls. Every batch is answered: DONE (settled by every
application that it concerns), UNRESOLVED (send it again after `retryAfterMs`; this example does) or REFUSED (do not).
"""

import argparse
import datetime
import json
import sys
import threading
import time

import pyarrow as pa
import pyarrow.flight as flight

ROWS_PER_BATCH = 50


def make_value(data_type, row):
    """A value of the type, different for different rows where the type allows."""
    if pa.types.is_boolean(data_type):
        return row % 2 == 0
    if pa.types.is_integer(data_type):
        return row % 128
    if pa.types.is_floating(data_type):
        return row / 8
    if pa.types.is_string(data_type):
        return f"row-{row}"
    if pa.types.is_binary(data_type):
        return f"row-{row}".encode()
    if pa.types.is_timestamp(data_type):
        return datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=row)
    if pa.types.is_fixed_size_list(data_type):
        return [make_value(data_type.value_type, row)] * data_type.list_size
    if pa.types.is_list(data_type):
        return [make_value(data_type.value_type, row)]
    raise TypeError(f"no made-up values for {data_type}")


def make_batch(schema, first, rows):
    columns = [
        pa.array([make_value(field.type, row) for row in range(first, first + rows)], type=field.type)
        for field in schema
    ]
    return pa.record_batch(columns, schema=schema)


def read_answers(reader, sizes, done, waits):
    """Collects answers until the server has answered everything and ended the stream."""
    while (message := reader.read()) is not None:
        answer = json.loads(message.to_pybytes())["answer"]
        waits.append(int(answer["retryAfterMs"]) / 1000)
        # Positions are 64-bit numbers: strings in JSON. A range names batches that share a fate.
        for position in range(int(answer["first"]), int(answer["last"]) + 1):
            done[answer["status"]].append(position)
            if answer["status"] == "REFUSED":
                print(f"batch {position} of {sizes[position]} rows refused: {answer['message']}", file=sys.stderr)


def write(client, descriptor, schema, batches):
    """Writes batches; returns the positions by status, and the seconds to wait before UNRESOLVED ones go again."""
    writer, reader = client.do_put(descriptor, schema)
    done = {"DONE": [], "UNRESOLVED": [], "REFUSED": []}
    waits = [0]
    sizes = [batch.num_rows for batch in batches]
    # Answers may also be read after everything is written: the server keeps them in bounded memory.
    answers = threading.Thread(target=read_answers, args=(reader, sizes, done, waits))
    answers.start()
    for batch in batches:
        writer.write_batch(batch)
    writer.done_writing()
    answers.join()
    writer.close()
    # A batch without an answer counts as unresolved.
    answered = set(done["DONE"]) | set(done["REFUSED"]) | set(done["UNRESOLVED"])
    done["UNRESOLVED"] += [position for position in range(len(batches)) if position not in answered]
    return done, max(waits)


def main():
    arguments = argparse.ArgumentParser(description="Writes made-up rows into an ingestor.")
    arguments.add_argument("--flight", default="127.0.0.1:7461", metavar="HOST:PORT")
    arguments.add_argument("domain")
    arguments.add_argument("ingestor")
    arguments.add_argument("--rows", type=int, default=100)
    options = arguments.parse_args()

    client = flight.connect(f"grpc://{options.flight}")
    descriptor = flight.FlightDescriptor.for_path(options.domain, "ingestor", options.ingestor)
    schema = client.get_schema(descriptor).schema
    batches = [
        make_batch(schema, first, min(ROWS_PER_BATCH, options.rows - first))
        for first in range(0, options.rows, ROWS_PER_BATCH)
    ]
    rows_done, refused = 0, False
    while batches:
        fates, wait = write(client, descriptor, schema, batches)
        rows_done += sum(batches[position].num_rows for position in fates["DONE"])
        refused |= bool(fates["REFUSED"])
        batches = [batches[position] for position in sorted(fates["UNRESOLVED"])]
        if batches:
            time.sleep(wait)
    print(f"{rows_done} rows DONE")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
