/** How many jobs a call leases at most, and how many queues it names. */
export const MOST_JOBS = 100;
export const MOST_QUEUES = 50;
/** What a call says of the worker. */
export function about({ name, version, slots, queues }) {
    return { worker_id: name, queues, slots, ...(version && { version }) };
}
