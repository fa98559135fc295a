package handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class GrpcTest {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        MethodDescriptor.Marshaller<byte[]> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] message) {
                return new ByteArrayInputStream(message);
            }

            @Override
            public byte[] parse(InputStream message) {
                try {
                    return message.readAllBytes();
                } catch (IOException broken) {
                    throw new UncheckedIOException(broken);
                }
            }
        };
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName("handoff.v1.Jobs/" + name)
                .setRequestMarshaller(bytes)
                .setResponseMarshaller(bytes)
                .build();
    }

    /** A server whose stream and completions are answered like this. */
    private static Server serve(
            ServerCalls.ServerStreamingMethod<byte[], byte[]> stream, ServerCalls.UnaryMethod<byte[], byte[]> complete)
            throws IOException {
        ServerServiceDefinition service = ServerServiceDefinition.builder("handoff.v1.Jobs")
                .addMethod(method("StreamJobs", MethodType.SERVER_STREAMING), ServerCalls.asyncServerStreamingCall(stream))
                .addMethod(method("CompleteJob", MethodType.UNARY), ServerCalls.asyncUnaryCall(complete))
                .addMethod(method("HeartbeatJob", MethodType.UNARY), ServerCalls.asyncUnaryCall(complete))
                .addMethod(method("ReleaseJob", MethodType.UNARY), ServerCalls.asyncUnaryCall(complete))
                .build();
        return ServerBuilder.forPort(0).addService(service).build().start();
    }

    private static Worker worker(Server server) {
        Client client = new Client("http://127.0.0.1:1", "token");
        return Worker.builder(client).slots(1).grpc("http://127.0.0.1:" + server.getPort()).build();
    }

    private static byte[] job(String id) {
        return job(id, 60);
    }

    private static byte[] job(String id, int leaseSeconds) {
        Instant now = Instant.now();
        ObjectNode row = NODES.objectNode().put("id", id).put("node", "n").put("lease_token", "l");
        row.put("sent_at", now.toString()).put("lease_expires_at", now.plusSeconds(leaseSeconds).toString());
        return Protobuf.encode(Protobuf.JOB, row);
    }

    @Test
    void aStreamThatBreaksIsOpenedAgainAndNoMoreJobsAreDoneThanThereAreSlots() throws Exception {
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger held = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger completed = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(2);
        Worker[] stopped = new Worker[1];
        Server server = serve(
                (request, answer) -> {
                    answer.onNext(job("j" + opened.incrementAndGet()));
                    second.countDown();
                    if (opened.get() == 1) {
                        Metadata trailers = new Metadata();
                        trailers.put(Metadata.Key.of("handoff-code", Metadata.ASCII_STRING_MARSHALLER), "stopping");
                        answer.onError(Status.UNAVAILABLE.asRuntimeException(trailers));
                    }
                },
                (request, answer) -> {
                    answer.onNext(Protobuf.encode(Protobuf.JOB_ANSWER, NODES.objectNode().put("applied", true)));
                    answer.onCompleted();
                    if (completed.incrementAndGet() == 2) {
                        stopped[0].stop();
                    }
                });
        try {
            stopped[0] = worker(server);
            stopped[0].step("n", job -> {
                most.accumulateAndGet(held.incrementAndGet(), Math::max);
                second.await(10, TimeUnit.SECONDS);
                Thread.sleep(100);
                held.decrementAndGet();
                return 1;
            });
            stopped[0].run();
            assertEquals(2, completed.get());
            assertEquals(1, most.get());
        } finally {
            server.shutdownNow();
        }
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsForASlotIsGivenBack() throws Exception {
        AtomicInteger done = new AtomicInteger();
        CountDownLatch heartbeats = new CountDownLatch(2);
        Worker[] stopped = new Worker[1];
        // Each job is cancelled: the one that is being done goes on to its end, the other one is not begun.
        ObjectNode cancelled = NODES.objectNode().put("applied", true).put("cancel_requested", true);
        AtomicInteger answers = new AtomicInteger();
        Server server = serve(
                (request, answer) -> {
                    answer.onNext(job("j1", 1));
                    answer.onNext(job("j2", 1));
                },
                (request, answer) -> {
                    answer.onNext(Protobuf.encode(Protobuf.JOB_ANSWER, cancelled));
                    answer.onCompleted();
                    heartbeats.countDown();
                    if (answers.incrementAndGet() >= 4) {
                        stopped[0].stop();
                    }
                });
        try {
            stopped[0] = worker(server);
            stopped[0].step("n", job -> {
                done.incrementAndGet();
                heartbeats.await(10, TimeUnit.SECONDS);
                Thread.sleep(100);
                return 1;
            });
            stopped[0].run();
            assertEquals(1, done.get());
        } finally {
            server.shutdownNow();
        }
    }

    @Test
    void aRefusalEndsTheWorker() throws Exception {
        Server server = serve(GrpcTest::refuse, GrpcTest::refuse);
        try {
            Worker worker = worker(server).step("n", job -> 1);
            ApiException refused = assertThrows(ApiException.class, worker::run);
            assertEquals(403, refused.status());
            assertEquals("not_allowed", refused.code());
            assertEquals("No.", refused.reason());
            assertEquals("queues[0]", refused.field());
        } finally {
            server.shutdownNow();
        }
    }

    private static void refuse(byte[] request, StreamObserver<byte[]> answer) {
        Metadata trailers = new Metadata();
        trailers.put(Metadata.Key.of("handoff-code", Metadata.ASCII_STRING_MARSHALLER), "not_allowed");
        byte[] error = "{\"field\":\"queues[0]\"}".getBytes(StandardCharsets.UTF_8);
        trailers.put(Metadata.Key.of("handoff-error-bin", Metadata.BINARY_BYTE_MARSHALLER), error);
        answer.onError(Status.PERMISSION_DENIED.withDescription("No.").asRuntimeException(trailers));
    }

    @Test
    void messagesAreReadAsTheyWereWritten() throws IOException {
        String text = "{\"id\":\"j\",\"output\":{\"big\":12345678901234567890},\"log\":[{\"text\":\"ä\",\"at\":\"2026-01-02T03:04:05.678Z\",\"seq\":3}]}";
        JsonNode row = Json.read(text.getBytes(StandardCharsets.UTF_8));
        Protobuf.Message complete = Protobuf.VERBS.get("complete");
        JsonNode read = Protobuf.decode(complete, ByteBuffer.wrap(Protobuf.encode(complete, row)));
        assertEquals(row.toString(), read.toString());
        byte[] newer = {0x08, 0x01, (byte) 0xf8, 0x06, (byte) 0x96, 0x01, (byte) 0xf2, 0x06, 0x01, 0x41};
        assertEquals("{\"applied\":true}", Protobuf.decode(Protobuf.JOB_ANSWER, ByteBuffer.wrap(newer)).toString());
        byte[] cut = {0x12, 0x05, 0x41};
        assertThrows(IOException.class, () -> Protobuf.decode(Protobuf.JOB_ANSWER, ByteBuffer.wrap(cut)));
    }
}
