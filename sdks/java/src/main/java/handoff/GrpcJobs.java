package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** The service handoff.v1.Jobs; needs grpc-stub and a transport, such as grpc-netty. */
final class GrpcJobs implements Reporter, AutoCloseable {
    private static final String SERVICE = "handoff.v1.Jobs/";
    private static final int MOST_BYTES = 64 << 20;
    private static final int PING_SECONDS = 20; // the server refuses clients that ping more than every 10 s
    private static final int PONG_SECONDS = 10;
    private static final Metadata.Key<String> CODE = key("handoff-code");
    private static final Metadata.Key<String> RETRY_AFTER = key("retry-after");
    private static final Metadata.Key<String> REQUEST_ID = key("x-request-id");
    private static final Metadata.Key<byte[]> ERROR = Metadata.Key.of("handoff-error-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private final ManagedChannel connection;
    private final Channel channel;

    /** Takes an address such as http://127.0.0.1:9090; https:// is TLS. Throws IllegalArgumentException where it is none. */
    GrpcJobs(String address, String token) {
        URI at = URI.create(address);
        boolean isPlain = "http".equals(at.getScheme());
        if (at.getHost() == null || !isPlain && !"https".equals(at.getScheme())) {
            throw new IllegalArgumentException("grpc must begin with http:// or https://, not " + address + ".");
        }
        int port = at.getPort() >= 0 ? at.getPort() : isPlain ? 80 : 443;
        ManagedChannelBuilder<?> builder = ManagedChannelBuilder.forAddress(at.getHost(), port)
                .userAgent("handoff-sdk-java")
                .maxInboundMessageSize(MOST_BYTES)
                .keepAliveTime(PING_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(PONG_SECONDS, TimeUnit.SECONDS);
        connection = (isPlain ? builder.usePlaintext() : builder.useTransportSecurity()).build();
        Metadata metadata = new Metadata();
        metadata.put(key("authorization"), "Bearer " + token);
        channel = ClientInterceptors.intercept(connection, MetadataUtils.newAttachHeadersInterceptor(metadata));
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /**
     * Has each job that comes taken, with the time at which it was sent, until the end has come or the stream breaks. Throws
     * ApiException and NoResponseException.
     */
    void stream(Object request, BiConsumer<JsonNode, Instant> take, CompletableFuture<Void> end) throws InterruptedException {
        ClientCall<byte[], byte[]> call = channel.newCall(method("StreamJobs", MethodDescriptor.MethodType.SERVER_STREAMING), CallOptions.DEFAULT);
        CompletableFuture<Void> over = new CompletableFuture<>();
        ClientCalls.asyncServerStreamingCall(call, encoded(Protobuf.STREAM_JOBS, request), new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
                ObjectNode job = decoded(Protobuf.JOB, message);
                take.accept(job, sentAt(job));
            }

            @Override
            public void onError(Throwable error) {
                over.completeExceptionally(error);
            }

            @Override
            public void onCompleted() {
                over.complete(null);
            }
        });
        try {
            CompletableFuture.anyOf(over, end).get();
            if (!end.isDone()) {
                throw new NoResponseException("The stream has ended.", true, null);
            }
        } catch (ExecutionException failed) {
            throw problem(failed.getCause());
        } finally {
            call.cancel("The worker takes no more jobs.", null);
        }
    }

    /** As {@link Reporter#report}: a call for each job, all at once. */
    @Override
    public Client.Answer report(String verb, List<Map<String, Object>> items, Duration most) throws InterruptedException {
        List<CompletableFuture<ObjectNode>> answers = new ArrayList<>();
        for (Map<String, Object> item : items) {
            answers.add(start(verb, item, most));
        }
        ArrayNode results = JsonNodeFactory.instance.arrayNode();
        Instant date = null;
        HandoffException trouble = null;
        int failures = 0;
        for (int place = 0; place < items.size(); place++) {
            String id = String.valueOf(items.get(place).get("id"));
            try {
                ObjectNode told = told(answers.get(place), id);
                date = told.has("sent_at") ? sentAt(told) : date;
                results.add(told);
            } catch (HandoffException failure) {
                if (failure instanceof ApiException refused && !refused.isRetryable()) {
                    throw failure;
                }
                trouble = failure;
                failures++;
                results.addObject().put("id", id).put("applied", false).put("reason", "unavailable");
            }
        }
        if (trouble != null && failures == items.size()) {
            throw trouble;
        }
        return new Client.Answer(JsonNodeFactory.instance.objectNode().set("results", results), date);
    }

    @Override
    public JsonNode release(Job job) throws InterruptedException {
        return told(start("release", Map.of("id", job.id(), "lease_token", job.leaseToken()), Client.READ), job.id());
    }

    @Override
    public void close() {
        connection.shutdownNow();
    }

    private CompletableFuture<ObjectNode> start(String verb, Map<String, Object> item, Duration most) {
        String name = Character.toUpperCase(verb.charAt(0)) + verb.substring(1) + "Job";
        CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(most.toMillis(), TimeUnit.MILLISECONDS);
        CompletableFuture<ObjectNode> answer = new CompletableFuture<>();
        ClientCall<byte[], byte[]> call = channel.newCall(method(name, MethodDescriptor.MethodType.UNARY), options);
        ClientCalls.asyncUnaryCall(call, encoded(Protobuf.VERBS.get(verb), item), new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
                answer.complete(decoded(Protobuf.JOB_ANSWER, message));
            }

            @Override
            public void onError(Throwable error) {
                answer.completeExceptionally(error);
            }

            @Override
            public void onCompleted() {
                answer.completeExceptionally(new IOException("There was no answer."));
            }
        });
        return answer;
    }

    private static ObjectNode told(CompletableFuture<ObjectNode> answer, String id) throws InterruptedException {
        try {
            return answer.get().put("id", id);
        } catch (ExecutionException failed) {
            HandoffException problem = problem(failed.getCause());
            if (problem instanceof ApiException refused && refused.status() == 404) {
                // As the answers of REST for many jobs have it.
                ObjectNode told = JsonNodeFactory.instance.objectNode().put("id", id).put("applied", false);
                return told.put("reason", refused.code()).put("message", refused.reason());
            }
            throw problem;
        }
    }

    private static byte[] encoded(Protobuf.Message message, Object row) {
        try {
            return Protobuf.encode(message, Json.read(Json.bytes(row)));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static ObjectNode decoded(Protobuf.Message message, byte[] content) {
        try {
            return Protobuf.decode(message, ByteBuffer.wrap(content));
        } catch (IOException strange) {
            throw new UncheckedIOException(strange);
        }
    }

    private static Instant sentAt(JsonNode row) {
        return row.has("sent_at") ? Instant.parse(row.path("sent_at").asText()) : null;
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName(SERVICE + name)
                .setRequestMarshaller(Bytes.AS_THEY_ARE)
                .setResponseMarshaller(Bytes.AS_THEY_ARE)
                .build();
    }

    private enum Bytes implements MethodDescriptor.Marshaller<byte[]> {
        AS_THEY_ARE;

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
    }

    /** The error with which a call has ended, as REST has it (docs/grpc.md). */
    private static HandoffException problem(Throwable error) {
        Status status = Status.fromThrowable(error);
        Metadata trailers = Status.trailersFromThrowable(error);
        String code = trailers == null ? null : trailers.get(CODE);
        String reason = status.getDescription() == null ? status.getCode().name() : status.getDescription();
        int http = switch (status.getCode()) {
            case INVALID_ARGUMENT -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            case FAILED_PRECONDITION -> 409;
            case ABORTED -> 412;
            case RESOURCE_EXHAUSTED -> 429;
            case UNIMPLEMENTED -> 501;
            case UNAVAILABLE -> code == null ? 0 : 503;
            case INTERNAL -> 500;
            default -> 0;
        };
        if (http == 0) {
            return new NoResponseException(reason, true, error);
        }
        JsonNode details = JsonNodeFactory.instance.objectNode();
        try {
            byte[] told = trailers == null ? null : trailers.get(ERROR);
            details = told == null ? details : Json.read(told);
        } catch (IOException strange) {
            // A proxy answers otherwise: then there is only the status.
            code = null;
        }
        return new ApiException(
                http,
                code == null ? "no_code" : code,
                reason,
                details.path("field").textValue(),
                trailers == null ? null : trailers.get(REQUEST_ID),
                trailers == null || trailers.get(RETRY_AFTER) == null ? Duration.ZERO : Client.seconds(trailers.get(RETRY_AFTER)));
    }
}
