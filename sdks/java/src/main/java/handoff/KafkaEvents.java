package handoff;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Job events through Kafka; needs {@code org.apache.kafka:kafka-clients}. */
public final class KafkaEvents implements Events {
    private static final Logger LOG = System.getLogger("handoff");
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final int SESSION = 10_000;
    private static final int TOPICS = 5_000; // so often it looks whether there is a topic, which may be made after the worker has begun

    private final Map<String, Object> options;
    private final String tenant;

    /** Events of the tenant {@code default}. */
    public KafkaEvents(String brokers) {
        this(brokers, "", Map.of());
    }

    /**
     * Events of a tenant, by its slug; {@code brokers} are addresses, by commas, {@code options} anything else as Kafka calls
     * it, such as {@code security.protocol}.
     */
    public KafkaEvents(String brokers, String tenant, Map<String, ?> options) {
        this.tenant = tenant;
        Map<String, Object> all = new HashMap<>();
        // Partitions move one by one: a worker that comes or goes interrupts nobody else.
        all.put(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION);
        all.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, TOPICS);
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        all.putAll(options);
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_EVENTS);
        this.options = all;
    }

    @Override
    public void consume(String queue, Receiver receiver) throws Exception {
        Map<String, Object> all = new HashMap<>(options);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, Events.group(queue, tenant));
        all.put(ConsumerConfig.CLIENT_ID_CONFIG, receiver.workerName());
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(all, bytes, bytes)) {
            consumer.subscribe(List.of(Events.topic(queue, tenant)));
            Deque<ConsumerRecord<byte[], byte[]>> taken = new ArrayDeque<>();
            while (!receiver.isStopped()) {
                int room = receiver.awaitRoom(WAIT);
                if (room < 1) {
                    // One that does not poll is removed from the group, and delays others.
                    consumer.pause(consumer.assignment());
                    consumer.poll(Duration.ZERO).forEach(taken::add);
                    continue;
                }
                if (taken.isEmpty()) {
                    consumer.resume(consumer.paused());
                    consumer.poll(WAIT).forEach(taken::add);
                }
                if (!taken.isEmpty() && !receiver.isStopped()) {
                    claim(consumer, taken, Math.min(room, MOST_EVENTS), receiver);
                }
            }
        }
    }

    /** Claims the jobs of some events, and commits these then, not before. */
    private static void claim(
            KafkaConsumer<byte[], byte[]> consumer, Deque<ConsumerRecord<byte[], byte[]>> taken, int most, Receiver receiver)
            throws InterruptedException {
        List<String> ids = new ArrayList<>();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int count = 0; count < most && !taken.isEmpty(); count++) {
            ConsumerRecord<byte[], byte[]> event = taken.remove();
            Header header = event.headers().lastHeader(JOB_ID);
            String id = header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
            if (Events.isJobId(id)) {
                ids.add(id);
            } else {
                LOG.log(Level.WARNING, "an event on " + event.topic() + " has no id of a job");
            }
            offsets.put(new TopicPartition(event.topic(), event.partition()), new OffsetAndMetadata(event.offset() + 1));
        }
        if (!ids.isEmpty()) {
            receiver.claim(ids);
        }
        consumer.commitSync(offsets);
    }
}
