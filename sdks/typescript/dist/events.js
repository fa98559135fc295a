/** The field or header of an event that is the id of its job. */
export const JOB_ID = "job-id";
export const MOST_AT_ONCE = 100;
/** How many milliseconds is waited for events or a free slot, before something else is looked at. */
export const TAKE = 1_000;
/** The topic or stream of a queue; the tenant `default`, or none, has no name of its own in it. */
export function topicOf(queue, tenant = "") {
    return `${prefix(tenant)}workflow.jobs.${queue}`;
}
/** The consumer group of a queue's workers: each event goes to one of them. */
export function groupOf(queue, tenant = "") {
    return `${prefix(tenant)}workflow.workers.${queue}`;
}
/** Whether this can be the id of a job. */
export function isJobId(text) {
    return typeof text === "string" && /^[ -~]{1,200}$/.test(text);
}
function prefix(tenant) {
    return tenant === "" || tenant === "default" ? "" : `${tenant}.`;
}
