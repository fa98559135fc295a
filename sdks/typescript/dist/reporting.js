/** Reports over REST. */
export class RestReporter {
    #client;
    constructor(client) {
        this.#client = client;
    }
    async report(verb, items) {
        let date = NaN;
        const options = { body: { items }, retries: 0, onDate: (at) => (date = at) };
        const { results } = await this.#client.call("POST", `/jobs/${verb}`, options);
        return { results, date };
    }
    release(job) {
        // Saying it twice does no harm.
        return this.#client.call("POST", `/jobs/${job.id}/release`, { body: { lease_token: job.lease_token } });
    }
    close() { }
}
