/** What the server finds in a draft. */

import type { Change } from "./changes";

export interface Fix {
  title: string;
  changes: Change[];
}

export interface Problem {
  code: string;
  severity: "error" | "warning";
  node: string | null;
  field: string;
  message: string;
  fix?: Fix | null;
}
