/** What a field holds: `json` is a JSON value as bytes, `time` a google.protobuf.Timestamp, here an ISO 8601 text. */
type Kind = "text" | "integer" | "boolean" | "json" | "time" | Message;
/** The fields of a message by their numbers. */
export interface Message {
    [number: number]: {
        name: string;
        kind: Kind;
        isList?: boolean;
    };
}
type Row = Record<string, unknown>;
export declare const STREAM_JOBS: Message;
export declare const JOB: Message;
export declare const JOB_ANSWER: Message;
/** The request of each verb on a job. */
export declare const VERBS: {
    complete: {
        3: {
            name: string;
            kind: Kind;
        };
        4: {
            name: string;
            kind: Kind;
        };
        5: {
            name: string;
            kind: Kind;
            isList: boolean;
        };
    };
    fail: {
        3: {
            name: string;
            kind: Kind;
        };
        4: {
            name: string;
            kind: Kind;
        };
        5: {
            name: string;
            kind: Kind;
            isList: boolean;
        };
    };
    heartbeat: {
        3: {
            name: string;
            kind: Kind;
        };
        4: {
            name: string;
            kind: Kind;
            isList: boolean;
        };
    };
    release: Message;
};
/** The bytes of a message. A field that is undefined is left out. */
export declare function encode(message: Message, row: Row): Buffer;
/** What a message says. A field that is not there is left out. Throws RangeError where it is cut short. */
export declare function decode(message: Message, bytes: Buffer): Row;
export {};
