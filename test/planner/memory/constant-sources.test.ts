import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import sources from "../../../planner/memory/constant-sources.json";

const folder = join(__dirname, "../../../planner/memory");
const text = (file: string): string => readFileSync(join(folder, file), "utf8");

/** Not of an engine: units of measure, limits of inputs, the order of answers, and the published sizing rules. */
const withoutSource = ["units.ts", "vllm-flags.ts", "verdict.ts", "sizing-rule.ts", "capacity-table.ts"];

/** Constants of a file that hold numbers: `const name = 5`, `= 2 ** 4`, `= { name: 5 }`, on one line or more. */
function numericConstants(file: string): readonly string[] {
  const constant = /^(?:export )?const (\w+)(?:: [^=]+)? = (?:[-(]*\d[^;]*|\{[^;]*?: [-\d][^;]*);/gms;
  return [...text(file).matchAll(constant)].map(([, name]) => `${file}: ${name}`);
}

const record = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("read"), files: z.array(z.string()).min(1), source: z.string().min(10) }),
  z.strictObject({
    kind: z.literal("measured"),
    constants: z.array(z.string()).min(1),
    on: z.string().min(10),
    laboratories: z.number().int().min(0),
    appliedTo: z.string().min(10),
    source: z.string().min(5),
  }),
]);
const records = z.array(record).parse(sources.records);
const measured = records.flatMap((entry) => (entry.kind === "measured" ? entry.constants : []));
const read = records.flatMap((entry) => (entry.kind === "read" ? entry.files : []));

describe("every constant of the memory planner", () => {
  it("is recorded with what it rests on: by name where logs gave it, else by the file that names the source", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !withoutSource.includes(file));
    const found = files.flatMap(numericConstants);
    expect(found).toEqual(
      expect.arrayContaining(["cuda-graphs.ts: perGraph", "activation.ts: fitted", "weights.ts: vocabularyPadding"]),
    );
    const isRecorded = (name: string) => measured.includes(name) || read.includes(name.split(": ")[0] ?? "");
    expect(found.filter((name) => !isRecorded(name))).toEqual([]);
  });

  it("that is recorded exists, once", () => {
    expect(new Set([...measured, ...read]).size).toBe(measured.length + read.length);
    for (const [file = "", name = ""] of measured.map((entry) => entry.split(": ")))
      expect(text(file)).toMatch(new RegExp(file.endsWith(".json") ? `"${name}":` : `const ${name}\\b`));
    for (const file of read) expect(numericConstants(file)).not.toEqual([]);
  });
});
