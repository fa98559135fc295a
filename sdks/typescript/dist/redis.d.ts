import { type EventReceiver, type Events } from "./events.js";
/** What is used of a client of the package `redis`. */
export interface RedisClient {
    duplicate(): RedisClient;
    connect(): Promise<unknown>;
    destroy(): void;
    on(event: "error", listener: (error: Error) => void): unknown;
    xGroupCreate(stream: string, group: string, id: string, options: {
        MKSTREAM: true;
    }): Promise<unknown>;
    xGroupDelConsumer(stream: string, group: string, consumer: string): Promise<unknown>;
    xReadGroup(group: string, consumer: string, stream: {
        key: string;
        id: string;
    }, options: {
        COUNT: number;
        BLOCK: number;
    }): Promise<unknown>;
    xAutoClaim(stream: string, group: string, consumer: string, idle: number, start: string, options: {
        COUNT: number;
    }): Promise<unknown>;
    xClaimJustId(stream: string, group: string, consumer: string, least: number, ids: string[], options: {
        IDLE: number;
    }): Promise<unknown>;
    xPendingRange(stream: string, group: string, start: string, end: string, count: number, options: {
        consumer: string;
    }): Promise<unknown>;
    xAck(stream: string, group: string, ids: string[]): Promise<unknown>;
    xDel(stream: string, ids: string[]): Promise<unknown>;
}
/** Job events through Redis Streams, by a client that `createClient` of the package `redis` makes. */
export declare class RedisEvents implements Events {
    #private;
    /** `tenant`: the slug of the token's tenant, where it isn't `default`. */
    constructor(client: RedisClient, { tenant }?: {
        tenant?: string;
    });
    consume(queue: string, receiver: EventReceiver): Promise<void>;
}
