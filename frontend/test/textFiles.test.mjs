// Files of spreadsheets in their encodings.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [files] = await load("model/textFiles.ts");
// Node takes what is from 0x80 to 0x9f in Windows-1252 for control characters, and browsers do not.
const TEXT = "Straße;set ö\r\n£ 5;1\r\n";
const bytes = (...parts) => Uint8Array.from(Buffer.concat(parts)).buffer;
const utf16 = Buffer.from(TEXT, "utf16le");

for (const [name, content] of [
  ["UTF-8", bytes(Buffer.from(TEXT))],
  ["UTF-8 with a mark", bytes(Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(TEXT))],
  ["UTF-16 of Excel", bytes(Buffer.from([0xff, 0xfe]), utf16)],
  ["UTF-16, the other way round", bytes(Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16())],
  ["Windows-1252", bytes(Buffer.from(TEXT, "latin1"))],
])
  test(`${name} is read`, () => assert.equal(files.textOf(content), TEXT));

test("an empty file is an empty text", () => assert.equal(files.textOf(bytes()), ""));

test("CSV is saved with the mark and comes back without it, DMN without", () => {
  assert.equal(files.saved("a", "csv"), "\ufeffa");
  assert.equal(files.textOf(bytes(Buffer.from(files.saved("a", "csv")))), "a");
  assert.equal(files.saved("a", "dmn"), "a");
});
