import { type EventReceiver, type Events } from "./events.js";
/** What is used of a consumer of the package `kafkajs`. */
export interface KafkaConsumer {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    subscribe(options: {
        topics: string[];
        fromBeginning: boolean;
    }): Promise<void>;
    run(options: {
        autoCommit: boolean;
        eachBatchAutoResolve: boolean;
        eachBatch: (batch: any) => Promise<void>;
    }): Promise<void>;
    commitOffsets(offsets: {
        topic: string;
        partition: number;
        offset: string;
    }[]): Promise<void>;
    on(event: "consumer.crash", listener: (event: {
        payload: {
            error: Error;
        };
    }) => void): unknown;
}
/** What is used of a `Kafka` of the package `kafkajs`. */
export interface KafkaClient {
    consumer(options: {
        groupId: string;
        sessionTimeout: number;
        allowAutoTopicCreation: boolean;
        retry: {
            retries: number;
            restartOnFailure: () => Promise<boolean>;
        };
    }): KafkaConsumer;
}
/** Job events through Kafka, by a `new Kafka({ clientId, brokers })` of the package `kafkajs`. */
export declare class KafkaEvents implements Events {
    #private;
    /** `tenant`: the slug of the token's tenant, where it isn't `default`. */
    constructor(kafka: KafkaClient, { tenant }?: {
        tenant?: string;
    });
    consume(queue: string, receiver: EventReceiver): Promise<void>;
}
