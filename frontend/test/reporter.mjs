// A dot for each test that passes; of each that fails its name, its place and the difference, as soon as it fails.
import { relative } from "node:path";
import { inspect } from "node:util";

const MOST_STDERR = 4000;
const ROW = 80;

const indented = (text) => text.replace(/^/gm, "  ");

/** The values that were compared, where the message is the test's own and does not tell them. */
function compared(error) {
  if (error?.code !== "ERR_ASSERTION" || error.generatedMessage || error.operator === "==") return [];
  if (error.message.includes("+ actual - expected")) return [];
  const full = (value) => inspect(value, { depth: 10 });
  return [`actual:   ${full(error.actual)}`, `expected: ${full(error.expected)}`];
}

/** What a test failed of, and in which line of a test. */
function told({ name, file, line, details: { error } }, stderr) {
  const cause = error.cause ?? error;
  const frames = `${cause?.stack ?? ""}`
    .split("\n")
    .filter((frame) => /^\s+at .*\/test\/\w+(\.test)?\.mjs/.test(frame));
  const place = file ? `${relative(process.cwd(), file)}${line ? `:${line}` : ""}` : "";
  const lines = [cause?.message ?? inspect(cause), ...compared(cause), ...frames.map((frame) => frame.trim())];
  if (stderr) lines.push(stderr.slice(-MOST_STDERR));
  return `\nFAILED ${name} (${place})\n${indented(lines.join("\n"))}\n`;
}

export default async function* reporter(source) {
  const stderr = new Map();
  let passed = 0;
  for await (const { type, data } of source) {
    if (type === "test:stderr") stderr.set(data.file, (stderr.get(data.file) ?? "") + data.message);
    if (type === "test:pass") {
      passed += 1;
      yield passed % ROW ? "." : ".\n";
    }
    // That a test in it failed is all that there is to tell of a file or of a test around others.
    if (type !== "test:fail" || data.details.error.failureType === "subtestsFailed") continue;
    // A file that could not be run tells why there alone.
    yield told(data, data.line === 1 && data.column === 1 ? stderr.get(data.file) : "");
  }
}
