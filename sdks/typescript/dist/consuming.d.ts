import { type Client } from "./client.js";
import type { Events } from "./events.js";
import { type Taking } from "./taking.js";
/** Takes the events of a broker and claims their jobs. Throws ApiError that no other try would change. */
export declare function consume(events: Events, client: Client, worker: Taking): Promise<void>;
