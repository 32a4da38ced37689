import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Writes rows into an ingestor and consumes them from an emitter, with the stock Flight client and JSON metadata.
 *
 * <p>The schema has {@code id} (I64) and {@code origin} (STRING): {@code nervix dev examples/round-trip.nspl --ephemeral}
 * leaves up what it needs. Run it with
 * {@code --add-opens=java.base/java.nio=ALL-UNNAMED}; arguments: FLIGHT_ADDRESS DOMAIN INGESTOR EMITTER, or
 * {@code mvn -q compile exec:exec -Dflight=127.0.0.1:7461 -Ddomain=d -Dingestor=inbox -Demitter=outbox}.
 */
public final class RoundTrip {
  private static final int BATCHES = 10;
  private static final int ROWS_PER_BATCH = 10;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FlightClient client;
  private final BufferAllocator allocator;

  private RoundTrip(FlightClient client, BufferAllocator allocator) {
    this.client = client;
    this.allocator = allocator;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 4) {
      System.err.println("arguments: FLIGHT_ADDRESS DOMAIN INGESTOR EMITTER");
      System.exit(2);
    }
    String[] address = arguments[0].split(":");
    Location location = Location.forGrpcInsecure(address[0], Integer.parseInt(address[1]));
    try (BufferAllocator allocator = new RootAllocator();
        FlightClient client = FlightClient.builder(allocator, location).build()) {
      RoundTrip trip = new RoundTrip(client, allocator);
      ExecutorService background = Executors.newSingleThreadExecutor();
      FlightDescriptor emitter = FlightDescriptor.path(arguments[1], "emitter", arguments[3]);
      Future<Set<Long>> consuming = background.submit(() -> trip.consume(emitter));
      int done = trip.write(FlightDescriptor.path(arguments[1], "ingestor", arguments[2]));
      Set<Long> consumed = consuming.get(60, TimeUnit.SECONDS);
      background.shutdown();
      System.out.println(done + " batches DONE, " + consumed.size() + " rows acknowledged");
      if (done != BATCHES || consumed.size() != BATCHES * ROWS_PER_BATCH) {
        System.exit(1);
      }
    }
  }

  /** Writes all batches and returns how many were answered DONE. */
  private int write(FlightDescriptor ingestor) throws Exception {
    Schema schema = client.getSchema(ingestor).getSchema();
    int done = 0;
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator);
        SyncPutListener answers = new SyncPutListener()) {
      FlightClient.ClientStreamListener writer = client.startPut(ingestor, root, answers);
      for (int batch = 0; batch < BATCHES; batch++) {
        fill(root, batch);
        writer.putNext();
      }
      writer.completed();
      // Each answer is for a range of batches, by their positions in this stream.
      for (PutResult result = answers.read(); result != null; result = answers.read()) {
        JsonNode answer = parse(result.getApplicationMetadata()).get("answer");
        result.close();
        if (answer != null && answer.get("status").asText().equals("DONE")) {
          done += answer.get("last").asInt() - answer.get("first").asInt() + 1;
        } else {
          System.err.println("not done: " + answer);
        }
      }
      writer.getResult();
    }
    return done;
  }

  private static void fill(VectorSchemaRoot root, int batch) {
    BigIntVector id = (BigIntVector) root.getVector("id");
    VarCharVector origin = (VarCharVector) root.getVector("origin");
    root.allocateNew();
    for (int row = 0; row < ROWS_PER_BATCH; row++) {
      id.setSafe(row, (long) batch * ROWS_PER_BATCH + row);
      origin.setSafe(row, "ATL".getBytes(StandardCharsets.UTF_8));
    }
    root.setRowCount(ROWS_PER_BATCH);
  }

  /** Acknowledges deliveries until all rows are confirmed; returns their ids. */
  private Set<Long> consume(FlightDescriptor emitter) throws Exception {
    Set<Long> ids = new TreeSet<>();
    Map<String, Set<Long>> open = new HashMap<>();
    try (FlightClient.ExchangeReaderWriter exchange = client.doExchange(emitter)) {
      FlightStream reader = exchange.getReader();
      say(exchange, "{\"credit\":{\"batches\":4}}");
      while (ids.size() < BATCHES * ROWS_PER_BATCH && reader.next()) {
        if (reader.getLatestMetadata() == null) {
          continue;
        }
        JsonNode message = parse(reader.getLatestMetadata());
        if (message.has("delivery")) {
          String ref = message.get("delivery").get("ref").asText();
          open.put(ref, read(reader.getRoot()));
          say(exchange, "{\"ack\":{\"refs\":[\"" + ref + "\"]}}");
          say(exchange, "{\"credit\":{\"batches\":1}}");
        } else if (message.has("outcome")) {
          JsonNode outcome = message.get("outcome");
          Set<Long> rows = open.remove(outcome.get("ref").asText());
          if (rows != null && outcome.get("result").asText().equals("CONFIRMED")) {
            ids.addAll(rows);
          }
        }
      }
      exchange.getWriter().completed();
      // What is still on its way goes to another consumer; the stream ends in order.
      while (reader.next()) {
        continue;
      }
    }
    return ids;
  }

  private static Set<Long> read(VectorSchemaRoot root) {
    Set<Long> ids = new TreeSet<>();
    BigIntVector id = (BigIntVector) root.getVector("id");
    for (int row = 0; row < root.getRowCount(); row++) {
      ids.add(id.get(row));
    }
    return ids;
  }

  /** Sends one message of the client protocol as JSON. */
  private void say(FlightClient.ExchangeReaderWriter exchange, String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    ArrowBuf buffer = allocator.buffer(bytes.length);
    buffer.writeBytes(bytes);
    exchange.getWriter().putMetadata(buffer);
  }

  private static JsonNode parse(ArrowBuf metadata) throws Exception {
    byte[] bytes = new byte[(int) metadata.readableBytes()];
    metadata.getBytes(metadata.readerIndex(), bytes);
    return JSON.readTree(bytes);
  }
}
