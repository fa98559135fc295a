// Builds the island into static/builder/, where it is committed: users need no Node. `--watch` while you work on it.
import { readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "static", "builder");
const options = {
  absWorkingDir: here,
  entryPoints: { builder: "src/main.tsx", picture: "src/picture/main.ts", graph: "src/graph/main.ts" },
  outdir: target,
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  minify: true,
  // Names by content, because the parts that are loaded later are not in Django's manifest under another name.
  chunkNames: "part-[hash]",
  // The hash covers paths of packages: the same ones, whether node_modules is a folder or a link to one.
  preserveSymlinks: true,
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "none",
  logLevel: "info",
};

/** The licences of everything that got into the build. */
function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  return [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
    return `${name} ${version}\n\n${text}\n`;
  });
}

if (process.argv.includes("--watch")) {
  await (await context({ ...options, minify: false })).watch();
} else {
  if (existsSync(target)) rmSync(target, { recursive: true });
  const { metafile } = await build({ ...options, metafile: true });
  writeFileSync(join(target, "THIRD_PARTY.txt"), licences(metafile).join(`\n${"-".repeat(80)}\n\n`));
}
