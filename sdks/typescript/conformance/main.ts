// Plays a case of the conformance suite with the SDK, and prints what came of it as JSON: main.js CASE WORKFLOW KEY.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Kafka, logLevel } from "kafkajs";
import { createClient } from "redis";
import { ApiError, Client, type Context, type Events, type Json, KafkaEvents, RedisEvents, Release, type Run, StepError, Worker } from "../src/index.js";

interface Action {
  log?: string[];
  variables?: Record<string, Json>;
  progress?: Json;
  seconds?: number;
  until_cancelled?: boolean;
  release?: boolean;
  fail?: { code: string; message: string; retryable?: boolean; details?: Record<string, unknown> };
  raise?: string;
  echo?: boolean;
  complete?: Json;
}

interface Case {
  input?: Json;
  payload?: Json;
  queues?: Record<string, string>;
  jobs?: Record<string, Action[]>;
  client: string[];
}

const [path = "", workflow = "", key = ""] = process.argv.slice(2);
const scene = JSON.parse(readFileSync(path, "utf8")) as Case;
let hasBegun = () => {};
const begun = new Promise<void>((done) => (hasBegun = done));
let isCancelled = (_: boolean) => {};
const cancelled = new Promise<boolean>((done) => (isCancelled = done));
const told: Record<string, unknown> = {};

async function act(ctx: Context, action: Action): Promise<unknown> {
  for (const text of action.log ?? []) ctx.log(text);
  Object.assign(ctx.variables, action.variables);
  if (action.progress !== undefined) {
    ctx.heartbeat(action.progress);
    await pause(1000);
  }
  await pause(1000 * (action.seconds ?? 0));
  if (action.until_cancelled) {
    while (!ctx.isCancelled) await pause(50);
    isCancelled(true);
    throw new StepError("nobody wants it");
  }
  if (action.release) throw new Release();
  if (action.fail) {
    const { message, code, retryable = false, details } = action.fail;
    throw new StepError(message, { code, retryable, ...(details && { details }) });
  }
  if (action.raise) throw new RangeError(action.raise);
  if (!action.echo) return action.complete;
  const { input, attempt, progress, retriesRemaining, idempotencyKey } = ctx;
  return { input, attempt, progress, retries_remaining: retriesRemaining, has_key: idempotencyKey !== "" };
}

async function refused(call: () => Promise<unknown>): Promise<[number, string] | undefined> {
  try {
    await call();
  } catch (error) {
    if (error instanceof ApiError) return [error.status, error.code];
    throw error;
  }
  return undefined;
}

async function ask(client: Client): Promise<void> {
  const start = () => client.start(workflow, scene.input, { businessKey: key });
  let run: Run | undefined;
  for (const line of scene.client) {
    const [verb, argument = ""] = line.split(/:(.*)/s);
    if (verb === "start") run = await start();
    else if (verb === "start_again") told["same_run"] = (await start()).id === run?.id;
    else if (verb === "begun") await begun;
    else if (verb === "signal") await client.signal(run!.id, argument, scene.payload, "once");
    else if (verb === "cancel") await client.cancel(run!.id, argument);
    else if (verb === "wait") {
      const { status, output, error } = await client.wait(run!.id, { timeout: 60_000 });
      Object.assign(told, { status, output, error: error?.code ?? null });
    } else if (verb === "start_unknown") told["refused"] = await refused(() => client.start("there-is-none"));
    else if (verb === "strange_token") {
      const stranger = new Client({ token: "hf_none" });
      told["stranger"] = (await refused(() => stranger.run(run!.id)))?.[0];
    }
  }
}

/** As `EVENTS` says, where it does. */
function brokerEvents(): Events | undefined {
  const { EVENTS: address = "", TENANT: tenant = "" } = process.env;
  if (address.startsWith("kafka://"))
    return new KafkaEvents(new Kafka({ brokers: [address.slice("kafka://".length)], logLevel: logLevel.NOTHING }), { tenant });
  return address ? new RedisEvents(createClient({ url: address }), { tenant }) : undefined;
}

const events = brokerEvents();
const grpc = process.env["HANDOFF_GRPC"] && `http://${process.env["HANDOFF_GRPC"]}`;
const worker = new Worker({ ...(events && { events }), ...(grpc && { grpc }) });
for (const [node, actions] of Object.entries(scene.jobs ?? {})) {
  let calls = 0;
  const step = (ctx: Context) => {
    hasBegun();
    return act(ctx, actions[Math.min(calls++, actions.length - 1)]!);
  };
  worker.step(node, step, { queue: scene.queues?.[node] ?? node });
}
const working = scene.jobs ? worker.run() : Promise.resolve();
try {
  await ask(new Client());
  if (told["status"] === "CANCELLED") told["worker_saw_it"] = await cancelled;
} finally {
  worker.stop();
  await working;
}
console.log(JSON.stringify(told));
