import { randomBytes } from "node:crypto";
import { groupOf, isJobId, JOB_ID, MOST_AT_ONCE, TAKE, topicOf } from "./events.js";
const IDLE = 60_000; // what a worker took so long ago and did not claim, another one takes
const LOOK = 15_000;
const NOBODY = "nobody"; // the consumer that is given what a worker took and did not claim before it ended
/** Job events through Redis Streams, by a client that `createClient` of the package `redis` makes. */
export class RedisEvents {
    #client;
    #tenant;
    /** `tenant`: the slug of the token's tenant, where it isn't `default`. */
    constructor(client, { tenant = "" } = {}) {
        this.#client = client;
        this.#tenant = tenant;
    }
    async consume(queue, receiver) {
        const client = this.#client.duplicate();
        client.on("error", (error) => receiver.warn(`Redis: ${error.message}`));
        const consumer = `${receiver.name}-${randomBytes(4).toString("hex")}`;
        const stream = new Stream(client, topicOf(queue, this.#tenant), groupOf(queue, this.#tenant), consumer);
        await client.connect();
        try {
            await stream.read(receiver);
        }
        finally {
            await stream.leave().catch((error) => receiver.warn(`Redis does not know that this worker has gone: ${error}`));
            client.destroy();
        }
    }
}
class Stream {
    #client;
    #names;
    #held = [];
    #looksAt = 0;
    constructor(client, stream, group, consumer) {
        this.#client = client;
        this.#names = [stream, group, consumer];
    }
    async read(receiver) {
        const [stream, group] = this.#names;
        await this.#client.xGroupCreate(stream, group, "0", { MKSTREAM: true }).catch((error) => {
            if (!error.message.startsWith("BUSYGROUP"))
                throw error;
        });
        while (!receiver.signal.aborted) {
            const most = Math.min(await receiver.room(TAKE), MOST_AT_ONCE);
            if (most < 1 || receiver.signal.aborted)
                continue;
            const entries = await this.#take(most);
            this.#held = entries.map((entry) => entry.id);
            if (receiver.signal.aborted)
                return;
            const jobs = entries.map((entry) => entry.message[JOB_ID]).filter(isJobId);
            if (jobs.length < entries.length)
                receiver.warn(`${entries.length - jobs.length} events on ${stream} have no id of a job`);
            if (jobs.length)
                await receiver.claim(jobs);
            if (!this.#held.length)
                continue;
            await this.#client.xAck(stream, group, this.#held);
            await this.#client.xDel(stream, this.#held);
            this.#held = [];
        }
    }
    /** Others take what was not claimed at once. */
    async leave() {
        const [stream, group, consumer] = this.#names;
        if (this.#held.length)
            await this.#client.xClaimJustId(stream, group, NOBODY, 0, this.#held, { IDLE });
        const pending = (await this.#client.xPendingRange(stream, group, "-", "+", 1, { consumer }));
        // Or every worker that ever was is in the group's list.
        if (!pending.length)
            await this.#client.xGroupDelConsumer(stream, group, consumer);
    }
    async #take(most) {
        const [stream, group, consumer] = this.#names;
        if (performance.now() >= this.#looksAt) {
            const { messages } = (await this.#client.xAutoClaim(stream, group, consumer, IDLE, "0", { COUNT: most }));
            const left = messages.filter((entry) => entry !== null);
            if (left.length < most)
                this.#looksAt = performance.now() + LOOK;
            if (left.length)
                return left;
        }
        const told = await this.#client.xReadGroup(group, consumer, { key: stream, id: ">" }, { COUNT: most, BLOCK: TAKE });
        return (told ?? []).flatMap((one) => one.messages);
    }
}
