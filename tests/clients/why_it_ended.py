"""What stock pyarrow sees of why a call ended: `extra_info` of UNAVAILABLE, and the class of NOT_FOUND."""

import argparse

import pyarrow
import pyarrow.flight as flight

parser = argparse.ArgumentParser()
parser.add_argument("--flight", required=True)
parser.add_argument("domain")
parser.add_argument("ingestor")
arguments = parser.parse_args()
client = flight.connect(f"grpc://{arguments.flight}")


def path(name):
    return flight.FlightDescriptor.for_path(arguments.domain, "ingestor", name)


try:
    client.get_flight_info(path("nobody"))
    raise SystemExit("there is no `nobody`")
except pyarrow.lib.ArrowKeyError as error:
    print("unknown:", error)

schema = client.get_schema(path(arguments.ingestor)).schema
try:
    writer, _ = client.do_put(path(arguments.ingestor), schema)
    writer.done_writing()
    writer.close()
    raise SystemExit("the domain is stopped")
except flight.FlightUnavailableError as error:
    assert b"google.rpc.ErrorInfo" in error.extra_info, error.extra_info
    assert b"stopped" in error.extra_info, error.extra_info
    print("stopped:", error)
