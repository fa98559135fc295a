// What reads what an author has typed grows with it: four times the text may take six times the CPU at most.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { transform } from "esbuild";
import { load, source } from "./load.mjs";

const files = [
  "model/words.ts",
  "model/clips.ts",
  "model/names.ts",
  "model/said.ts",
  "inspector/convert.ts",
  "inspector/condition/clauses.ts",
  "model/data.ts",
  "model/slash.ts",
  "model/people.ts",
  "model/talk.ts",
];
const [
  { inWords },
  { paste },
  { slug },
  { saidOf, tokensOf },
  { asLiteral, asNumber, ofMoment, ofDuration },
  { parsed, quoted, unquoted },
  { difference, found, pieces, reference, rowsOf },
  { blanks, method, slashAt },
  { initials, colourOf },
  { mentionAt, pieces: mentions, withMention },
] = await load(...files);

const [SIZE, FACTOR, ALLOWED, FLOOR] = [4_000, 4, 6, 15_000];
const SIGNS = [..."\"'\\. \n\t<>[](){}&|-_*`~#/@=:;,!?+%$^0aAé", "\u0301"];
const PAIRS = [
  '"\\',
  '\\"',
  "'\\",
  "'\"",
  '" ',
  "{{",
  "}}",
  "{{a",
  "{{ '",
  "}} ",
  "[]",
  '["',
  '["a',
  "(a",
  "has(",
  "has(a)",
  "has(a)&& ",
  "!has(",
  "steps.",
  "steps.a",
  "steps.a.output",
  'steps["',
  "a.",
  ".a",
  "a_",
  "_1",
  "1,",
  "1.",
  "1e",
  "-1",
  "= ",
  " =",
  " &",
  "&& ",
  " \n",
  "\n ",
  "?'",
  ':"',
  "? ",
  "P1",
  "T1",
  "`a",
  "``",
];

function* texts(size) {
  for (const unit of [...SIGNS, ...PAIRS]) {
    const middle = unit.repeat(size / unit.length);
    yield [unit, middle];
    for (const before of ["a", '"', "1", "{{"]) yield [`${before} before ${unit}`, `${before}${middle}!`];
  }
}

const SMALL = new Map(texts(SIZE));
const LARGE = new Map(texts(FACTOR * SIZE));

function microseconds(work, text) {
  const before = process.cpuUsage();
  try {
    work(text);
  } catch {
    // To refuse a text is an answer to it.
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** How many times the CPU the larger text takes; 0 where that is noise, the least of several rounds. */
function growth(work, small, large) {
  let found = Infinity;
  for (let round = 0; round < 5 && found > ALLOWED; round += 1) {
    const took = microseconds(work, large);
    if (took <= FLOOR * ALLOWED) return 0;
    found = Math.min(found, took / Math.max(FLOOR, microseconds(work, small)));
  }
  return found;
}

function steep(work) {
  const found = {};
  for (const [shape, large] of LARGE) {
    const times = growth(work, SMALL.get(shape), large);
    if (times > ALLOWED) found[shape] = times;
    if (Object.keys(found).length === 3) break;
  }
  return found;
}

/** Every regular expression that the sources write out; what only looks like one is measured, too. */
async function patterns() {
  const found = new Map();
  for (const name of readdirSync(source, { recursive: true }).filter((each) => /\.tsx?$/.test(each))) {
    const { code } = await transform(readFileSync(join(source, name), "utf8"), {
      loader: name.endsWith("x") ? "tsx" : "ts",
      jsx: "automatic",
    });
    for (const [, body, flags] of code.matchAll(
      /(?:[(,=:[!&|?{};]|return)\s*\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuy]*)/g,
    )) {
      try {
        found.set(`${name} /${body}/${flags}`, new RegExp(body, flags));
      } catch {
        // A text in which there are slashes.
      }
    }
  }
  return found;
}

const PATTERNS = await patterns();

for (const [name, pattern] of PATTERNS) {
  test(`${name} grows with its text`, () => {
    assert.deepEqual(
      steep((text) => text.replace(pattern, "")),
      {},
    );
  });
}

test("a literal in a condition stays as it is, and a quote that nothing ends hides no word", () => {
  assert.equal(
    inWords(`has(output.a)  &&  output.a\t==  'x && "y"' || output.b != true`),
    `a is 'x && "y"' or b is not true`,
  );
  assert.equal(inWords(`output.a == "b\\" && c" && output.d == 'e`), `a is "b\\" && c" and d is 'e`);
});

test("steps that are pasted read the new ids in each hole, and nowhere else", () => {
  const nodes = {
    a: { type: "noop" },
    b: { type: "noop", params: { t: "steps.a {{ steps.a }}{{steps.a.x}} }} {{ steps.a" } },
  };
  const taken = { ...empty, nodes: { a: { type: "noop" }, b: { type: "noop" } } };
  const { changes } = paste(taken, { handoff: 1, nodes, edges: [], places: {}, notes: [] }, { x: 0, y: 0 });
  assert.match(JSON.stringify(changes), /"steps\.a {{ steps\.a_2 }}{{steps\.a_2\.x}} }} {{ steps\.a"/);
});

test("the walk finds the expressions of every folder", () => {
  assert.ok(PATTERNS.size > 60, `${PATTERNS.size}`);
  for (const part of ["model/", "inspector/", "panels/", "add/"])
    assert.ok(
      [...PATTERNS.keys()].some((name) => name.startsWith(part)),
      part,
    );
});

const called = { definition: { node: {}, settings: { properties: {} } }, paramsOf: () => undefined };
const empty = { nodes: {}, edges: {}, settings: {}, layout: {} };

/** A step that somebody copied, with this text wherever they may have written one. */
function pasted(text) {
  const step = { type: "noop", params: { a: text, when: text, [text]: [`{{ ${text} }}`] } };
  return paste(
    empty,
    { handoff: 1, nodes: { a: step }, edges: [{ from: "a", to: "a", when: text }], places: {}, notes: [] },
    { x: 0, y: 0 },
  );
}

const READERS = {
  inWords,
  pasted,
  slug,
  tokensOf,
  saidOf: (text) => saidOf({ code: "cycle", node: null, message: text }, empty, called),
  asLiteral,
  asNumber,
  ofMoment,
  ofDuration,
  parsed,
  quoted: (text) => quoted(text, undefined),
  unquoted,
  shown: (text) => {
    const value = { [text]: text, list: [text] };
    rowsOf(value, { open: new Map(), pages: new Map() }, found(value, "a"));
    difference(value, { [text]: `${text}!` });
    reference("prev", [text]);
  },
  pieces: (text) => pieces(text, "a"),
  slashAt: (text) => [slashAt(text, text.length, true), slashAt(`${text}/`, text.length + 1, false)],
  blanks,
  method,
  initials,
  colourOf,
  mentions: (text) => mentions(`${text} @${text}`),
  mentionAt: (text) => withMention(text, text.length, mentionAt(`@${text}`, text.length + 1)?.typed ?? ""),
};

for (const [name, work] of Object.entries(READERS)) {
  test(`${name} grows with its text`, () => {
    work("a");
    assert.deepEqual(steep(work), {});
  });
}
