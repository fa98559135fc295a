package handoff;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.XAutoClaimParams;
import redis.clients.jedis.params.XClaimParams;
import redis.clients.jedis.params.XPendingParams;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.resps.StreamEntry;

/** Job events through Redis Streams; needs {@code redis.clients:jedis}. */
public final class RedisEvents implements Events {
    private static final Logger LOG = System.getLogger("handoff");
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final long IDLE = 60_000; // what a worker took so long ago and did not claim, another one takes
    private static final long LOOK = 15_000;
    private static final String NOBODY = "nobody"; // the consumer that is given what a worker took and did not claim before it ended

    private final UnifiedJedis client;
    private final String tenant;

    /** Events of the tenant {@code default}. */
    public RedisEvents(UnifiedJedis client) {
        this(client, "");
    }

    /** Events of a tenant, by its slug; the client has a connection for each queue. */
    public RedisEvents(UnifiedJedis client, String tenant) {
        this.client = client;
        this.tenant = tenant;
    }

    @Override
    public void consume(String queue, Receiver receiver) throws Exception {
        // Two processes may have a name in common; what one of them takes is not the other's.
        String consumer = receiver.workerName() + "-" + Long.toHexString(ThreadLocalRandom.current().nextLong());
        Stream stream = new Stream(Events.topic(queue, tenant), Events.group(queue, tenant), consumer);
        try {
            client.xgroupCreate(stream.name, stream.group, new StreamEntryID(), true);
        } catch (JedisDataException exists) {
            if (!String.valueOf(exists.getMessage()).startsWith("BUSYGROUP")) {
                throw exists;
            }
        }
        try {
            stream.read(receiver);
        } finally {
            stream.leave();
        }
    }

    private final class Stream {
        private final String name;
        private final String group;
        private final String consumer;
        private StreamEntryID[] held = {};
        private long lookAt = System.currentTimeMillis();

        Stream(String name, String group, String consumer) {
            this.name = name;
            this.group = group;
            this.consumer = consumer;
        }

        void read(Receiver receiver) throws InterruptedException {
            while (!receiver.isStopped()) {
                int room = receiver.awaitRoom(WAIT);
                if (room < 1) {
                    continue;
                }
                List<StreamEntry> entries = take(Math.min(room, MOST_EVENTS));
                held = entries.stream().map(StreamEntry::getID).toArray(StreamEntryID[]::new);
                List<String> ids = new ArrayList<>();
                for (StreamEntry entry : entries) {
                    String id = entry.getFields().get(JOB_ID);
                    if (Events.isJobId(id)) {
                        ids.add(id);
                    } else {
                        LOG.log(Level.WARNING, "an event on " + name + " has no id of a job");
                    }
                }
                if (receiver.isStopped()) {
                    return;
                }
                if (!ids.isEmpty()) {
                    receiver.claim(ids);
                }
                if (held.length > 0) {
                    client.xack(name, group, held);
                    client.xdel(name, held);
                    held = new StreamEntryID[0];
                }
            }
        }

        /** Events that another worker has left, or else new ones. */
        private List<StreamEntry> take(int most) {
            if (System.currentTimeMillis() >= lookAt) {
                XAutoClaimParams params = XAutoClaimParams.xAutoClaimParams().count(most);
                List<StreamEntry> left =
                        client.xautoclaim(name, group, consumer, IDLE, new StreamEntryID(), params).getValue();
                if (left.size() < most) {
                    lookAt = System.currentTimeMillis() + LOOK;
                }
                if (!left.isEmpty()) {
                    return left;
                }
            }
            XReadGroupParams params = XReadGroupParams.xReadGroupParams().count(most).block((int) WAIT.toMillis());
            List<Map.Entry<String, List<StreamEntry>>> told =
                    client.xreadGroup(group, consumer, params, Map.of(name, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY));
            return told == null ? List.of() : told.stream().flatMap(one -> one.getValue().stream()).toList();
        }

        /** Has others take at once what was not claimed. */
        void leave() {
            try {
                if (held.length > 0) {
                    client.xclaimJustId(name, group, NOBODY, 0, XClaimParams.xClaimParams().idle(IDLE), held);
                }
                // Or every worker that ever was is in the group's list.
                if (client.xpending(name, group, XPendingParams.xPendingParams("-", "+", 1).consumer(consumer)).isEmpty()) {
                    client.xgroupDelConsumer(name, group, consumer);
                }
            } catch (RuntimeException broken) {
                LOG.log(Level.WARNING, "Redis does not know that this worker has gone: " + broken.getMessage());
            }
        }
    }
}
