/** Conditions as people put them together: clauses of a value, what is asked of it, and what it is compared with. */

export interface Clause {
  path: string;
  operator: Operator;
  /** As it is written in the expression: a text in quotes, a number, true. */
  value: string;
}

export interface Condition {
  clauses: Clause[];
  all: boolean;
}

export type Operator =
  | "=="
  | "!="
  | ">"
  | ">="
  | "<"
  | "<="
  | "contains"
  | "startsWith"
  | "endsWith"
  | "true"
  | "false"
  | "has"
  | "lacks";

export const OPERATORS: [Operator, string][] = [
  ["==", "is"],
  ["!=", "is not"],
  [">", "is more than"],
  [">=", "is at least"],
  ["<", "is less than"],
  ["<=", "is at most"],
  ["contains", "contains"],
  ["startsWith", "begins with"],
  ["endsWith", "ends with"],
  ["true", "is true"],
  ["false", "is not true"],
  ["has", "exists"],
  ["lacks", "does not exist"],
];

/** Those that compare with nothing. */
export const ALONE = new Set<Operator>(["true", "false", "has", "lacks"]);

const PATH = String.raw`[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:\d+|"[^"\\]*")\])*`;
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|'[^'\\]*'|-?\d+(?:\.\d+)?|true|false|null`;
const COMPARED = new RegExp(`^(${PATH})\\s*(==|!=|>=|<=|>|<)\\s*(${VALUE}|${PATH})$`);
const CALLED = new RegExp(`^(${PATH})\\.(contains|startsWith|endsWith)\\((${VALUE})\\)$`);
const HAS = new RegExp(`^(!?)\\s*has\\((${PATH})\\)$`);
const PLAIN = new RegExp(`^(!?)\\s*(${PATH})$`);

function parsedClause(text: string): Clause | null {
  const compared = COMPARED.exec(text);
  if (compared) return { path: compared[1], operator: compared[2] as Operator, value: compared[3] };
  const called = CALLED.exec(text);
  if (called) return { path: called[1], operator: called[2] as Operator, value: called[3] };
  const has = HAS.exec(text);
  if (has) return { path: has[2], operator: has[1] ? "lacks" : "has", value: "" };
  const plain = PLAIN.exec(text);
  if (plain && !["true", "false", "null"].includes(plain[2]))
    return { path: plain[2], operator: plain[1] ? "false" : "true", value: "" };
  return null;
}

/** The parts of a text between an operator, outside of quotes and brackets; null where brackets group. */
function split(text: string): { parts: string[]; joints: string[] } {
  const parts: string[] = [""];
  const joints: string[] = [];
  let quote = "";
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quote) {
      parts[parts.length - 1] += letter;
      if (letter === "\\") {
        at += 1;
        parts[parts.length - 1] += text[at] ?? "";
      }
      if (letter === quote) quote = "";
      continue;
    }
    if (letter === '"' || letter === "'") quote = letter;
    if (letter === "(" || letter === "[") depth += 1;
    if (letter === ")" || letter === "]") depth -= 1;
    const joint = text.slice(at, at + 2);
    if (depth === 0 && (joint === "&&" || joint === "||")) {
      joints.push(joint);
      parts.push("");
      at += 1;
    } else parts[parts.length - 1] += letter;
  }
  return { parts: parts.map((part) => part.trim()), joints };
}

/** The condition as clauses; null where it is more than these can say. */
export function parsed(text: string): Condition | null {
  if (text.trim() === "") return { clauses: [], all: true };
  const { parts, joints } = split(text);
  if (new Set(joints).size > 1) return null;
  const clauses = parts.map(parsedClause);
  return clauses.every((clause) => clause !== null) ? { clauses: clauses as Clause[], all: joints[0] !== "||" } : null;
}

export function written({ clauses, all }: Condition): string {
  return clauses.map(ofClause).join(all ? " && " : " || ");
}

function ofClause({ path, operator, value }: Clause): string {
  switch (operator) {
    case "true":
      return path;
    case "false":
      return `!${path}`;
    case "has":
      return `has(${path})`;
    case "lacks":
      return `!has(${path})`;
    case "contains":
    case "startsWith":
    case "endsWith":
      return `${path}.${operator}(${/^["']/.test(value) ? value : JSON.stringify(value)})`;
    default:
      return `${path} ${operator} ${value || '""'}`;
  }
}

/** What a person reads of a value: a text without its quotes. */
export function unquoted(value: string): string {
  if (/^".*"$/s.test(value)) {
    try {
      return JSON.parse(value) as string;
    } catch {
      return value.slice(1, -1);
    }
  }
  return /^'.*'$/s.test(value) ? value.slice(1, -1) : value;
}

/** What a person typed as an expression writes it; `type` is what it is compared with, as far as that is known. */
export function quoted(typed: string, type: string | undefined): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(typed.trim());
  const mayBeNumber = type === undefined || /integer|number|any/.test(type);
  if (isNumber && mayBeNumber) return typed.trim();
  if ((typed === "true" || typed === "false") && (type === undefined || /boolean|any/.test(type))) return typed;
  if (typed === "null" && type !== "string") return typed;
  return JSON.stringify(typed);
}
