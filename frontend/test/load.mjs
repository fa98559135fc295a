// Modules of the island as Node runs them. What two of them import is there once, as in the browser.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const source = join(dirname(fileURLToPath(import.meta.url)), "../src");

/** The modules at these paths below src/, in this order. */
export async function load(...paths) {
  const outdir = mkdtempSync(join(tmpdir(), "handoff-"));
  const entryPoints = paths.map((path) => join(source, path));
  await build({
    entryPoints,
    outdir,
    outbase: source,
    bundle: true,
    splitting: true,
    format: "esm",
    jsx: "automatic",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
  return Promise.all(paths.map((path) => import(join(outdir, path.replace(/\.tsx?$/, ".mjs")))));
}
